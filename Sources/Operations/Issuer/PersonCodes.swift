internal import Audit
internal import CryptoBackend
internal import Encoding
internal import KeyStore
internal import SecretMemory
internal import Wire

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

  /// - Parameter subject: whose codes: with an empty one the key itself is used, otherwise a secret derived from it. [OP-OTP-5]
  init(_ parameters: OTPCode, _ slot: KeySlot, _ subject: Span<UInt8>) throws(OperationError) {
    let secret: SecretBuffer?
    do throws(CryptoError) {
      secret = try slot.withSymmetricKey { (key) throws(CryptoError) in try Self.secret(key, subject, parameters.hash) }
    } catch { throw OperationError(error) }
    guard let secret else { throw .noSuchKey }
    self.parameters = parameters
    self.secret = secret
  }

  static func timeStep(at now: Timestamp, _ step: Int) -> UInt64 { UInt64(clamping: now.seconds) / UInt64(step) }

  borrowing func code(_ counter: UInt64) throws(OperationError) -> SecretBuffer {
    do throws(CryptoError) { return try make(counter) } catch { throw OperationError(error) }
  }

  /// Compares a code with all that are valid now, and notes the outcome in the subject's state.
  ///
  /// The code that was accepted last is refused without counting: it was sent twice, and is no guess. [OP-OTP-6]
  borrowing func check(_ given: Span<UInt8>, _ standing: inout OTPStanding, at now: Timestamp) throws(CryptoError) -> CodeCheck {
    guard !parameters.isLockedOut(standing, at: now) else { return .lockedOut }
    var found: UInt64?
    for counter in candidates(standing, at: now) {
      let code = try make(counter)
      if ConstantTime.equal(code.bytes, given) { found = found ?? counter }
    }
    let last = try make(standing.next &- 1)
    let isLast = ConstantTime.equal(last.bytes, given)
    if let found {
      standing.next = found + 1
      (standing.failures, standing.lastFailure) = (0, 0)
      return .right(counter: found)
    }
    // No code has the counter before the first.
    if standing.next == 0 || !isLast {
      standing.failures = min(standing.failures, UInt32.max - 1) + 1
      standing.lastFailure = now.seconds
    }
    return .wrong
  }
}

extension PersonCodes {
  /// The counters or time steps not used or skipped yet: time steps around the present, or counters from the next one on. Codes given out
  /// but not used move the counters' window forward, so that the last of them is always inside. [OP-OTP-6]
  private borrowing func candidates(_ standing: OTPStanding, at now: Timestamp) -> Range<UInt64> {
    let window = UInt64(parameters.window)
    let (first, last): (UInt64, UInt64)
    if let step = parameters.step {
      let present = Self.timeStep(at: now, step)
      (first, last) = (present - min(window, present), present + window)
    } else {
      first = max(standing.next, standing.issued - min(window + 1, standing.issued))
      last = first + window
    }
    let least = max(first, standing.next)
    return least..<max(least, last + 1)
  }

  private borrowing func make(_ counter: UInt64) throws(CryptoError) -> SecretBuffer {
    try HOTP.code(key: secret.bytes, counter: counter, digits: parameters.digits, hash: parameters.hash)
  }

  /// HMAC(key, "kist/otp-subject/v1" ‖ 00 ‖ subject), whose input cannot be mistaken for a counter's eight bytes.
  private static func secret(_ key: Span<UInt8>, _ subject: Span<UInt8>, _ hash: OTPHash) throws(CryptoError) -> SecretBuffer {
    guard !subject.isEmpty else {
      do throws(SecretMemoryError) { return try SecretBuffer(copying: key) } catch { throw .exhausted }
    }
    let message = Array("kist/otp-subject/v1".utf8) + [0] + subject.array
    return try HOTP.authenticate(key: key, message.span, hash)
  }
}

extension KeyStore {
  /// Reads and durably changes a subject's state; the audit record will state the ledger's number of changes.
  func withStanding<R>(
    _ subject: Span<UInt8>, of slot: KeySlot, at now: Timestamp, _ finding: Finding,
    _ body: (inout OTPStanding) throws(CryptoError) -> R
  ) throws(OperationError) -> R {
    let result: Result<R, CryptoError>
    do throws(KeyStoreError) {
      (result, finding.inputs.ledger) = try update(subject, of: slot, at: now, body)
    } catch { throw OperationError(error) }
    do throws(CryptoError) { return try result.get() } catch { throw OperationError(error) }
  }
}
