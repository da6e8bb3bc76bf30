import ApplePay
import Crypto
import Format
import Host
import KeyStore

/// The fields of a payment on their way into an envelope, as an `OpenPaymentTokenReply` in the
/// arena [OP-ENV-2].
struct SealedPayment: ~Copyable {
  private let text: SecretBuffer
  private let count: Int
  /// What is in it.
  let fields: ReleasedFields

  /// Those of `wanted` that the payment has, and when the token was signed.
  init(_ wanted: ReleasedFields, of payment: borrowing PaymentData, _ signingTime: Timestamp)
    throws(OperationError)
  {
    var text = try Self.buffer(payment.capacity(for: wanted))
    (fields, count) = try Self.write(wanted, of: payment, signingTime, into: text.mutableBytes)
    self.text = text
  }

  /// A number alone, of a caller that has no token.
  init(pan: Span<UInt8>) throws(OperationError) {
    var text = try Self.buffer(pan.count + 8)
    count = try Self.write(pan, into: text.mutableBytes)
    fields = ReleasedFields([.dpan])
    self.text = text
  }

  /// - Parameter slot: of a key of role `sealing`.
  func sealed(
    with slot: KeySlot, for merchant: MerchantIdentifier, _ transaction: Span<UInt8>,
    _ terms: PaymentEnvelope.Terms
  ) throws(OperationError) -> [UInt8] {
    try slot.envelope(
      around: text.bytes.extracting(first: count), for: merchant, transaction, terms)
  }

  /// What is in it, read in place.
  ///
  /// - Throws: `.fault`, for it was written here.
  var payment: OpenPaymentTokenReply {
    @_lifetime(borrow self)
    borrowing get throws(OperationError) {
      do throws(WireError) {
        return try OpenPaymentTokenReply(MessageReader(text.bytes.extracting(first: count)))
      } catch { throw .fault }
    }
  }

  private static func write(
    _ fields: ReleasedFields, of payment: borrowing PaymentData, _ signingTime: Timestamp,
    into bytes: consuming MutableSpan<UInt8>
  ) throws(OperationError) -> (ReleasedFields, Int) {
    var writer = MessageWriter(bytes)
    let written = try writer.write(fields, of: payment, signingTime)
    return (written, writer.count)
  }

  private static func write(_ pan: Span<UInt8>, into bytes: consuming MutableSpan<UInt8>)
    throws(OperationError) -> Int
  {
    var writer = MessageWriter(bytes)
    try writer.write(.dpan, pan)
    return writer.count
  }

  private static func buffer(_ count: Int) throws(OperationError) -> SecretBuffer {
    try onMemory(SecretBuffer(count: count))
  }
}

// An opened payment, written to where it goes: the reply, or an envelope.

extension MessageWriter {
  /// Writes those of these fields that the payment has, in ascending order, and when the token was
  /// signed [OP-OPEN-9].
  ///
  /// - Returns: the fields that it has; what is made with other keys is none of them.
  mutating func write(
    _ fields: ReleasedFields, of payment: borrowing PaymentData, _ signingTime: Timestamp
  ) throws(OperationError) -> ReleasedFields {
    var written: [ReleasedField] = []
    for field in fields.fields {
      if try write(field, of: payment) { written.append(field) }
    }
    try write(signingTime: UInt64(clamping: signingTime.seconds))
    return ReleasedFields(written)
  }

  /// Returns false if the token does not have the field.
  private mutating func write(_ field: ReleasedField, of payment: borrowing PaymentData)
    throws(OperationError) -> Bool
  {
    guard field != .amount else {
      guard let amount = payment.amount else { return false }
      try onReply(present(field.number, amount))
      return true
    }
    guard let source = field.source, let capacity = payment.capacity(for: source) else {
      return false
    }
    let written = try onToken(
      bytes(field.number, capacity: capacity) { (out) throws(TokenError) in
        try payment.copy(source, into: &out)
      })
    guard case .success = written else { throw .fault }
    return true
  }
}

extension PaymentData {
  /// The most bytes that these fields and the signing time take in a message.
  func capacity(for fields: ReleasedFields) -> Int {
    var sum = 16
    for field in fields.fields {
      if let source = field.source, let value = capacity(for: source) { sum += value + 16 }
    }
    return sum
  }
}

extension ReleasedField {
  /// The field's source in the payment data; nil for what is made with other keys.
  fileprivate var source: PaymentField? { PaymentField(rawValue: rawValue) }
}
