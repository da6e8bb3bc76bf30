import Crypto
import Format
import KeyStore

/// `verify-otp`: checks a person's code within the key's window; each code is accepted once, and
/// wrong ones lead to a lock-out.
enum VerifyOTP: Operation {
  static let opcode = Opcode.verifyOTP

  static func run(
    _ request: borrowing VerifyOTPRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    guard case .code(let code) = slot.record.otp else { throw .noSuchKey }
    try context.checkHome(of: slot, code)
    let now = context.now
    let given = request.code
    let subject = request.subject
    let isElsewhere = try claim(given, code, slot, subject, context)
    // The outcome is durable before anybody learns it. [OP-OTP-6]
    let answer = try context.keys.withState(subject, of: slot, at: now, context.finding) {
      (state) throws(CryptoError) in
      let codes = try PersonCodes(code, slot, subject, enrolment: state.enrolment)
      // Right, and used: from now on here, too.
      let answer = try codes.check(given, &state, at: now)
      return isElsewhere ? .wrong : answer
    }
    switch answer {
    case .right(let counter):
      try reply.write(VerifyOTPReply(counter: counter))
    case .wrong: throw .rejected(.otpCode)
    case .lockedOut: throw .rejected(.otpLocked)
    }
  }

  /// In a fleet, claims a right code of time before it is accepted; a wrong one is on record by
  /// then. [FLEET-F6]
  ///
  /// - Returns: whether another host has accepted the code, which uses it up here.
  private static func claim(
    _ given: Span<UInt8>, _ code: OTPCode, _ slot: KeySlot, _ subject: Span<UInt8>,
    _ context: borrowing OperationContext
  ) throws(OperationError) -> Bool {
    guard let fleet = context.daemon.fleet, let length = code.step else { return false }
    let now = context.now
    let answer = try context.keys.withState(subject, of: slot, at: now, context.finding) {
      (state) throws(CryptoError) in
      let codes = try PersonCodes(code, slot, subject, enrolment: state.enrolment)
      var next = state
      let answer = try codes.check(given, &next, at: now)
      if case .right = answer { return answer }
      state = next
      return answer
    }
    switch answer {
    case .wrong: throw .rejected(.otpCode)
    case .lockedOut: throw .rejected(.otpLocked)
    case .right(let step):
      guard let digests = fleet.digests(context.keys, at: now) else { throw .busy(.claims) }
      let claim = Claim(
        digest: try digests.code(slot, subject, step: step), retryDigest: .zero,
        day: Claim.day(of: Int64(clamping: step &* UInt64(length))))
      context.finding.note(claim)
      var holdings: [ClaimHolding]?
      context.waiting { holdings = context.daemon.claim([claim]) }
      guard let holding = holdings?.first else { throw .busy(.claims) }
      return holding.holder != .thisHost
    }
  }
}
