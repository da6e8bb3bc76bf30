import ApplePay
import Audit
import Crypto
import Format
import Host
import KeyStore

// The operations of a key on PANs and envelopes; errors in the caller's data become stages here.

extension KeySlot {
  func surrogate(of pan: Span<UInt8>, _ merchant: MerchantIdentifier, _ format: SurrogateFormat)
    throws(OperationError) -> SecretBuffer
  {
    try withStandInKey { (key) throws(PANError) in
      try Surrogate.make(of: pan, merchant: merchant.text.utf8.span, format: format, key: key)
    }
  }

  func pan(
    ofSurrogate digits: Span<UInt8>, _ merchant: MerchantIdentifier, _ format: SurrogateFormat
  ) throws(OperationError) -> SecretBuffer {
    try withStandInKey { (key) throws(PANError) in
      try Surrogate.pan(of: digits, merchant: merchant.text.utf8.span, format: format, key: key)
    }
  }

  /// - Parameter text: the encoded fields.
  func envelope(
    around text: Span<UInt8>, for merchant: MerchantIdentifier, _ transaction: Span<UInt8>,
    _ terms: PaymentEnvelope.Terms
  ) throws(OperationError) -> [UInt8] {
    let binding = try PaymentEnvelope.Binding(merchant, transaction)
    let id = record.id.bytes
    return try withStandInKey { (key) throws(PANError) in
      try PaymentEnvelope.seal(text, key: key, id: id.span, for: binding, terms)
    }
  }

  /// The encoded fields.
  func contents(
    of envelope: PaymentEnvelope, for merchant: MerchantIdentifier, _ transaction: Span<UInt8>,
    now: Timestamp
  ) throws(OperationError) -> SecretBuffer {
    let binding = try PaymentEnvelope.Binding(merchant, transaction)
    let id = record.id.bytes
    return try withStandInKey { (key) throws(PANError) in
      try envelope.open(key: key, id: id.span, for: binding, now: now)
    }
  }

  private func withStandInKey<R: ~Copyable>(_ body: (Span<UInt8>) throws(PANError) -> R)
    throws(OperationError) -> R
  {
    let result: R?
    do throws(PANError) { result = try withSymmetricKey(body) } catch {
      throw OperationError(error)
    }
    guard let result else { throw .noSuchKey }
    return result
  }
}

extension PaymentEnvelope.Binding {
  fileprivate init(_ merchant: MerchantIdentifier, _ transaction: Span<UInt8>)
    throws(OperationError)
  {
    guard let binding = Self(merchant: Array(merchant.text.utf8), transaction: transaction.array)
    else { throw .rejected(.parameters) }
    self = binding
  }
}

extension KeyRole {
  /// Two roles serve `tokenise`: one makes surrogates, the other envelopes.
  var makesSurrogates: Bool { self == .surrogate }
}

extension MerchantIdentifier {
  /// - Throws: `.rejected(.parameters)` for anything but 1 to 255 printable ASCII characters.
  init(parameter text: String) throws(OperationError) {
    guard let identifier = MerchantIdentifier(text) else { throw .rejected(.parameters) }
    self = identifier
  }
}

extension Finding {
  /// Adds keyed digests of a PAN and its transaction, so that auditors can find records about them.
  func note(pan: Span<UInt8>, transaction: Span<UInt8>, _ context: borrowing OperationContext)
    throws(OperationError)
  {
    let digests = context.daemon.digests
    if !pan.isEmpty { inputs.pan = try onCrypto(digests.digest(.pan, of: pan)) }
    if !transaction.isEmpty {
      inputs.transaction = try onCrypto(digests.digest(.transaction, of: transaction))
    }
  }
}

extension OperationError {
  init(_ error: PANError) {
    switch error {
    case .notPAN: self = .rejected(.pan)
    case .notSurrogate: self = .rejected(.standIn)
    case .notEnvelope: self = .rejected(.envelope)
    case .expired: self = .rejected(.expired)
    case .crypto(let error): self.init(error)
    }
  }
}
