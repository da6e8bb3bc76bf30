internal import CryptoBackend
internal import Encoding
internal import KeyStore
package import Policy
internal import SecretMemory
package import Wire

/// `verify-otp`: checks a person's code within the key's window; each code is accepted once, and wrong ones lead to a lock-out.
package enum VerifyOTP: Operation {
  package static let opcode = Opcode.verifyOTP
  package static let bodyCap = OTPSubject.cap + 32
  package static let replyCap = 16

  package static func run(
    _ body: consuming MessageReader, _ grant: borrowing Grant, _ context: borrowing OperationContext, into reply: inout MessageWriter,
    finding: inout Finding
  ) throws(OperationError) {
    let request = try VerifyOTPRequest(decoding: body)
    let slot = try context.key(for: grant)
    guard case .code(let code) = slot.record.otp else { throw .noSuchKey }
    let codes = try PersonCodes(code, slot, request.subject)
    let now = context.now
    let given = request.code
    // The outcome is durable before anybody learns it. [OP-OTP-6]
    let answer = try context.keys.withStanding(request.subject, of: slot, at: now, &finding) { (standing) throws(CryptoError) in
      try codes.check(given, &standing, at: now)
    }
    switch answer {
    case .right(let counter):
      try reply.write(VerifyOTPReply(counter: counter))
    case .wrong: throw .rejected(.otpCode)
    case .lockedOut: throw .rejected(.otpLocked)
    }
  }
}
