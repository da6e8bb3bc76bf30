import Crypto
import Format
import Host
import KeyStore
import Policy

/// `sign-otp`: makes the kind of one-time value that the key's role is for, for a network or for a
/// person.
enum SignOTP: Operation {
  static let opcode = Opcode.signOTP

  static func run(
    _ request: borrowing SignOTPRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    switch slot.record.otp {
    case .visa, .mastercard:
      guard request.subject.isEmpty, request.counter == nil else { throw .rejected(.otpInput) }
      let nothing = request.subject.extracting(first: 0)
      let account = try hiddenAccount(request, context)
      let common = NetworkOTP.Common(
        account: account.bytes, expiration: nothing, nonce: nothing, isHidden: hidesAccount(request)
      )
      let otp = try NetworkOTP.make(request.network, common, slot, context)
      try write(otp.bytes, nil, into: &reply)
    case .code(let code):
      guard request.network.network == .none, !hidesAccount(request) else {
        throw .rejected(.otpInput)
      }
      let (counter, enrolment) = try counter(request, code, slot, context)
      let otp = try PersonCodes.code(counter, code, slot, request.subject, enrolment: enrolment)
      try write(otp.bytes, counter, into: &reply)
    case nil: throw .noSuchKey
    }
  }

  private static func hidesAccount(_ request: borrowing SignOTPRequest) -> Bool {
    !request.accountEnvelope.isEmpty || !request.envelopeContext.isEmpty
      || request.accountSurrogate != nil
  }

  /// The number that the caller does not hold; empty if its input has one, or needs none.
  /// [OP-OTP-10]
  private static func hiddenAccount(
    _ request: borrowing SignOTPRequest, _ context: borrowing OperationContext
  ) throws(OperationError) -> SecretBuffer {
    guard hidesAccount(request) else {
      return try onMemory(SecretBuffer(count: 0))
    }
    guard request.accountEnvelope.isEmpty != (request.accountSurrogate == nil),
      request.network.takesAccount
    else { throw .rejected(.otpInput) }
    guard let surrogate = request.accountSurrogate else {
      do throws(OperationError) {
        return try SealedAccount.opened(request.accountEnvelope, request.envelopeContext, context)
      } catch {
        if case .noSuchKey = error { throw .rejected(.envelope) }
        throw error
      }
    }
    guard request.envelopeContext.isEmpty else { throw .rejected(.otpInput) }
    return try SealedAccount.open(surrogate, context)
  }

  /// The present time step, or an unused counter, which is durably marked as given out before its
  /// code is made. [OP-OTP-4]
  ///
  /// - Returns: also the number of the subject's authenticator.
  private static func counter(
    _ request: borrowing SignOTPRequest, _ code: OTPCode, _ slot: KeySlot,
    _ context: borrowing OperationContext
  ) throws(OperationError) -> (counter: UInt64, enrolment: UInt32) {
    let wanted = request.counter
    let now = context.now
    guard code.step == nil || wanted == nil else { throw .rejected(.otpInput) }
    try context.checkHome(of: slot, code)
    let counter = try context.keys.withState(request.subject, of: slot, at: now, context.finding) {
      state -> (UInt64, UInt32)? in
      if let step = code.step { return (PersonCodes.timeStep(at: now, step), state.enrolment) }
      let least = max(state.issued, state.next)
      let counter = wanted ?? least
      guard counter >= least, counter < PersonCodes.counterLimit else { return nil }
      state.issued = counter + 1
      return (counter, state.enrolment)
    }
    guard let counter else { throw .rejected(.otpInput) }
    return counter
  }

  private static func write(_ otp: Span<UInt8>, _ counter: UInt64?, into reply: inout MessageWriter)
    throws(OperationError)
  {
    var answer = SignOTPReply()
    answer.otp = otp
    answer.counter = counter
    try reply.write(answer)
  }
}
