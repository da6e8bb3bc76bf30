import Audit
import Crypto
import Format
import Host
import KeyStore

/// The HOTP or TOTP codes of one subject under one key (RFC 4226, RFC 6238).
struct PersonCodes: ~Copyable {
  enum CodeCheck {
    case right(counter: UInt64)
    case wrong
    case lockedOut
  }

  /// Counters stay below this, so that each has a successor.
  static let counterLimit = UInt64(1) << 53

  private let parameters: OTPCode
  private let secret: SecretBuffer

  /// - Parameters:
  ///   - subject: whose codes.
  ///   - enrolment: the number of the subject's authenticator; zero if it has none.
  init(_ parameters: OTPCode, _ slot: KeySlot, _ subject: Span<UInt8>, enrolment: UInt32)
    throws(CryptoError)
  {
    secret = try Self.secret(parameters.hash, slot, subject, enrolment: enrolment)
    self.parameters = parameters
  }

  static func timeStep(at now: Timestamp, _ step: Int) -> UInt64 {
    UInt64(clamping: now.seconds) / UInt64(step)
  }

  /// One code.
  static func code(
    _ counter: UInt64, _ parameters: OTPCode, _ slot: KeySlot, _ subject: Span<UInt8>,
    enrolment: UInt32
  ) throws(OperationError) -> SecretBuffer {
    do throws(CryptoError) {
      let codes = try PersonCodes(parameters, slot, subject, enrolment: enrolment)
      return try codes.make(counter)
    } catch { throw OperationError(error) }
  }

  /// Compares a code with all that are valid now, and notes the outcome in the subject's state.
  ///
  /// The code that was accepted last is refused without counting: it was sent twice, and is no
  /// guess. [OP-OTP-6]
  borrowing func check(_ given: Span<UInt8>, _ state: inout OTPState, at now: Timestamp)
    throws(CryptoError) -> CodeCheck
  {
    guard !parameters.isLockedOut(state, at: now) else { return .lockedOut }
    var found: UInt64?
    for counter in candidates(state, at: now) {
      let code = try make(counter)
      if ConstantTime.equal(code.bytes, given) { found = found ?? counter }
    }
    let last = try make(state.next &- 1)
    let isLast = ConstantTime.equal(last.bytes, given)
    if let found {
      state.next = found + 1
      state.failures = 0
      state.lastFailure = 0
      return .right(counter: found)
    }
    // No code has the counter before the first.
    if state.next == 0 || !isLast {
      state.failures = min(state.failures, UInt32.max - 1) + 1
      state.lastFailure = now.seconds
    }
    return .wrong
  }
}

extension PersonCodes {
  /// The counters or time steps not used or skipped yet: time steps around the present, or counters
  /// from the next one on. Codes given out but not used move the counters' window forward, so that
  /// the last of them is always inside. [OP-OTP-6]
  private borrowing func candidates(_ state: OTPState, at now: Timestamp) -> Range<UInt64> {
    let window = UInt64(parameters.window)
    let (first, last): (UInt64, UInt64)
    if let step = parameters.step {
      let present = Self.timeStep(at: now, step)
      first = present - min(window, present)
      last = present + window
    } else {
      first = max(state.next, state.issued - min(window + 1, state.issued))
      last = first + window
    }
    let least = max(first, state.next)
    return least..<max(least, last + 1)
  }

  private borrowing func make(_ counter: UInt64) throws(CryptoError) -> SecretBuffer {
    try HOTP.code(
      key: secret.bytes, counter: counter, digits: parameters.digits, hash: parameters.hash)
  }

  /// The secret of a subject: with an empty one the key itself, otherwise HMAC(key,
  /// "kist/otp-subject/v1" ‖ 00 ‖ subject) or, of an authenticator, HMAC(key,
  /// "kist/otp-enrolment/v1" ‖ 00 ‖ enrolment ‖ subject). [OP-OTP-5] [OP-OTP-11]
  ///
  /// None of these inputs can be mistaken for another, nor for a counter's eight bytes.
  static func secret(_ hash: OTPHash, _ slot: KeySlot, _ subject: Span<UInt8>, enrolment: UInt32)
    throws(CryptoError) -> SecretBuffer
  {
    let purpose =
      enrolment == 0
      ? Array("kist/otp-subject/v1".utf8) + [0]
      : Array("kist/otp-enrolment/v1".utf8) + [0] + enrolment.bigEndianBytes
    let message = purpose + subject.array
    let isKeys = subject.isEmpty
    let secret = try slot.withSymmetricKey { (key) throws(CryptoError) in
      guard isKeys else { return try HOTP.authenticate(key: key, message.span, hash) }
      do throws(SecretMemoryError) { return try SecretBuffer(copying: key) } catch {
        throw .exhausted
      }
    }
    guard let secret else { throw .invalidKey }
    return secret
  }
}

extension OperationContext {
  /// Has the record name whom the request is about.
  func note(subject: Span<UInt8>) throws(OperationError) {
    finding.inputs.subject = try onCrypto(daemon.digests.digest(.subject, of: subject))
  }
}

extension KeyStore {
  /// Reads and durably changes a subject's state; the audit record will state the ledger's number
  /// of changes.
  func withState<R>(
    _ subject: Span<UInt8>, of slot: KeySlot, at now: Timestamp, _ finding: Finding,
    _ body: (inout OTPState) throws(CryptoError) -> R
  ) throws(OperationError) -> R {
    let result: Result<R, CryptoError>
    (result, finding.inputs.ledger) = try onKeys(update(subject, of: slot, at: now, body))
    return try onCrypto(result.get())
  }
}
