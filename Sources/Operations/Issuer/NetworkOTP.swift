import ApplePay
import Crypto
import Format
import Host
import KeyStore
import Policy

/// The one-time values of payment networks, made with a key of the fitting role. [OP-OTP-1]
/// [OP-OTP-2]
enum NetworkOTP {
  /// Values that a pass and its one-time value share, so that they need not be sent twice; empty if
  /// absent.
  struct Common: ~Escapable {
    let account: Span<UInt8>
    /// MM/YY.
    let expiration: Span<UInt8>
    let nonce: Span<UInt8>
    /// Whether the caller does not hold the account's number.
    let isHidden: Bool

    @_lifetime(copy account, copy expiration, copy nonce)
    init(account: Span<UInt8>, expiration: Span<UInt8>, nonce: Span<UInt8>, isHidden: Bool) {
      self.account = account
      self.expiration = expiration
      self.nonce = nonce
      self.isHidden = isHidden
    }
  }

  /// - Throws: `.rejected(.otpInput)` if the input does not fit the key's role, or the grant not
  ///   the number; `.otpKeyExpired`.
  static func make(
    _ inputs: borrowing NetworkInputs, _ common: borrowing Common, _ slot: KeySlot,
    _ context: borrowing OperationContext
  ) throws(OperationError) -> SecretBuffer {
    let now = context.now
    try checkExpiry(slot, now)
    try checkNumber(inputs, common, context)
    switch slot.record.otp {
    case .visa(let keySet):
      guard let visa = inputs.visa, inputs.network == .visa else { throw .rejected(.otpInput) }
      return try make(visa, common, keySet, slot, now)
    case .mastercard(let alias):
      guard let mastercard = inputs.mastercard, inputs.network == .mastercard else {
        throw .rejected(.otpInput)
      }
      return try make(mastercard, common, alias, slot, now)
    case .code, nil: throw .rejected(.otpInput)
    }
  }

  /// MBPAD or MPAD of a card.
  ///
  /// - Parameter expiry: MMYY.
  static func visaAccount(
    _ type: VisaType, number: Span<UInt8>, expiry: Span<UInt8>, _ slot: KeySlot, at now: Timestamp
  ) throws(OperationError) -> SecretBuffer {
    try checkExpiry(slot, now)
    guard case .visa(let keySet) = slot.record.otp else { throw .rejected(.otpInput) }
    return try withKey(slot) { (key) throws(ActivationError) in
      try VisaOTP(type, keySet: keySet).account(number: number, expiry: expiry, at: now, key: key)
    }
  }

  /// The base64 text of a value, the form in which Visa wants an encrypted card number inside
  /// Apple's payment data.
  static func base64(_ value: Span<UInt8>) throws(OperationError) -> SecretBuffer {
    do throws(ActivationError) { return try ActivationText.base64(value) } catch {
      throw OperationError(error)
    }
  }
}

extension NetworkOTP {
  /// Without `dpan` a grant gives no value from which its caller could find a hidden number.
  /// [OP-PROV-5]
  ///
  /// All that Mastercard signs beside the number is public: whoever has the signature can try all
  /// numbers. Visa's value has four random characters; many values over chosen numbers can be
  /// compared with a hidden one's.
  private static func checkNumber(
    _ inputs: borrowing NetworkInputs, _ common: borrowing Common,
    _ context: borrowing OperationContext
  ) throws(OperationError) {
    let isVisa = inputs.visa?.type.isAccount ?? false
    guard isVisa || inputs.mastercard != nil, isVisa != (common.isHidden && inputs.takesAccount)
    else { return }
    guard context.grant.released.contains(.dpan) else { throw .rejected(.otpInput) }
    if !isVisa { context.finding.released = ReleasedFields([.dpan]) }
  }

  private static func make(
    _ input: borrowing VisaInput, _ common: borrowing Common, _ keySet: String, _ slot: KeySlot,
    _ now: Timestamp
  ) throws(OperationError) -> SecretBuffer {
    let expiry = CardExpiry(input.expiry, or: common.expiration)
    guard input.type.isAccount else {
      guard input.accountNumber.isEmpty, input.expiry.isEmpty else { throw .rejected(.otpInput) }
      let nonce = input.nonce.isEmpty ? common.nonce : input.nonce
      let type = input.type
      let code = input.authenticationCode
      return try withKey(slot) { (key) throws(ActivationError) in
        try VisaOTP(type, keySet: keySet).activation(nonce: nonce, code: code, key: key)
      }
    }
    guard input.nonce.isEmpty, input.authenticationCode.isEmpty else { throw .rejected(.otpInput) }
    let number = input.accountNumber.isEmpty ? common.account : input.accountNumber
    return try visaAccount(input.type, number: number, expiry: expiry.digits, slot, at: now)
  }

  private static func make(
    _ input: borrowing MastercardInput, _ common: borrowing Common, _ alias: String?,
    _ slot: KeySlot, _ now: Timestamp
  ) throws(OperationError) -> SecretBuffer {
    guard let key = slot.privateKey,
      let version = MastercardTAV.Version(rawValue: UInt8(truncatingIfNeeded: input.version))
    else {
      throw .rejected(.otpInput)
    }
    let expiry = CardExpiry(input.expiry, or: common.expiration)
    let until = input.validUntil == 0 ? nil : Timestamp(untrustedSeconds: input.validUntil)
    guard input.validUntil == 0 || until != nil else { throw .rejected(.otpInput) }
    do throws(ActivationError) {
      let tav = try MastercardTAV(
        version, number: input.accountNumber.isEmpty ? common.account : input.accountNumber,
        expiry: expiry.digits, tokenReference: input.tokenReference, until: until, keyAlias: alias,
        at: now)
      return try tav.sign(with: key)
    } catch { throw OperationError(error) }
  }

  /// The key's end is that of its key set: afterwards the network refuses values made with it.
  /// [OP-OTP-3]
  private static func checkExpiry(_ slot: KeySlot, _ now: Timestamp) throws(OperationError) {
    guard slot.record.notAfter.map({ now <= $0 }) ?? true else { throw .rejected(.otpKeyExpired) }
  }

  private static func withKey(
    _ slot: KeySlot, _ body: (Span<UInt8>) throws(ActivationError) -> SecretBuffer
  ) throws(OperationError) -> SecretBuffer {
    let made: SecretBuffer?
    do throws(ActivationError) { made = try slot.withSymmetricKey(body) } catch {
      throw OperationError(error)
    }
    guard let made else { throw .noSuchKey }
    return made
  }
}

extension NetworkInputs {
  /// Whether a value of this kind is made of a number that the input does not have.
  var takesAccount: Bool {
    if let visa { return visa.type.isAccount && visa.accountNumber.isEmpty }
    return mastercard?.accountNumber.isEmpty ?? false
  }
}

/// A card's expiry as MMYY.
struct CardExpiry: ~Copyable {
  private let storage: InlineArray<4, UInt8>
  private let count: Int

  /// - Parameters:
  ///   - expiry: MMYY, or empty.
  ///   - expiration: MM/YY, used if `expiry` is empty.
  init(_ expiry: Span<UInt8>, or expiration: Span<UInt8>) {
    switch (expiry.count, expiration.count) {
    case (4, _): (storage, count) = ([expiry[0], expiry[1], expiry[2], expiry[3]], 4)
    case (0, 5):
      (storage, count) = ([expiration[0], expiration[1], expiration[3], expiration[4]], 4)
    case (_, _): (storage, count) = (InlineArray(repeating: 0), 0)
    }
  }

  /// Empty if neither had the right length.
  var digits: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(first: count) }
  }
}

extension Timestamp {
  /// Nil beyond the year 9999.
  fileprivate init?(untrustedSeconds seconds: UInt64) {
    guard seconds < 253_402_300_800 else { return nil }
    self.init(seconds: Int64(seconds))
  }
}

extension OperationError {
  init(_ error: ActivationError) {
    switch error {
    case .input: self = .rejected(.otpInput)
    case .exhausted: self = .busy(.memory)
    case .backend: self = .fault
    }
  }

  /// Whether the error is in a value that the caller sent.
  var isInput: Bool { if case .rejected(.otpInput) = self { true } else { false } }
}
