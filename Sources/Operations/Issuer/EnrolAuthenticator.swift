import Audit
import Crypto
import Format
import Host
import KeyStore
import Policy

/// `enrol-authenticator`: gives a person's secret to an authenticator of theirs, and ends the codes
/// of the one before. [OP-OTP-11]
enum EnrolAuthenticator: Operation {
  static let opcode = Opcode.enrolAuthenticator

  static func run(
    _ request: borrowing EnrolAuthenticatorRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    guard case .code(let code) = slot.record.otp else { throw .noSuchKey }
    // A fleet's other hosts would take the codes for wrong ones.
    guard context.daemon.fleet == nil || code.step == nil else { throw .rejected(.otpHome) }
    try context.checkHome(of: slot, code)
    let finding = context.finding
    let retryKey = OTPTag(request.retryKey)
    try context.note(subject: request.subject)
    // The number is durable before the secret leaves, so that no later one is the same.
    let number = try context.keys.withState(request.subject, of: slot, at: context.now, finding) {
      $0.enrol(retryKey)
    }
    guard let number else { throw .rejected(.invocations) }
    let secret = try onCrypto(
      PersonCodes.secret(code.hash, slot, request.subject, enrolment: number))
    try write(secret, number, code, into: &reply)
  }

  private static func write(
    _ secret: borrowing SecretBuffer, _ number: UInt32, _ code: OTPCode,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    var answer = EnrolAuthenticatorReply()
    answer.secret = secret.bytes
    answer.number = number
    answer.otp = OTPParameters(.code(code))
    try reply.write(answer)
  }
}
