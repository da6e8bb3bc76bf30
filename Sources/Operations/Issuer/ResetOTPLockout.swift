import Audit
import Crypto
import Format
import KeyStore
import Policy

/// `reset-otp-lockout`: lets a person who was locked out try codes again. [OP-OTP-9]
enum ResetOTPLockout: Operation {
  static let opcode = Opcode.resetOTPLockout

  /// No approval is asked for if the key's state refuses it anyway. [OP-STATE-2]
  static func refusal(_ context: borrowing OperationContext) -> Stage? {
    guard let id = context.grant.key, let record = context.keys.record(for: id) else { return nil }
    return record.state.serves(opcode) ? nil : .keyState
  }

  /// Whose lock-out would end.
  static func matter(_ request: borrowing ResetOTPLockoutRequest, _ keys: KeyStore)
    -> PendingRequests.Matter?
  {
    .subject(String(decoding: request.subject.array, as: UTF8.self))
  }

  static func run(
    _ request: borrowing ResetOTPLockoutRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    guard case .code = slot.record.otp else { throw .noSuchKey }
    let finding = context.finding
    try context.note(subject: request.subject)
    // The counters stay: no code that was right or skipped becomes right again.
    let failures = try context.keys.withState(
      request.subject, of: slot, at: context.now, finding
    ) { (state) throws(CryptoError) in
      defer { (state.failures, state.lastFailure) = (0, 0) }
      return state.failures
    }
    try reply.write(ResetOTPLockoutReply(failures: failures))
  }
}
