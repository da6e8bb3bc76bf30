import Audit
import Crypto
import Format
import KeyStore

/// `sign`: signs a message or its digest, in a scheme that the key's kind allows [OP-SIGN-1].
enum Sign: Operation {
  static let opcode = Opcode.sign

  static func run(
    _ request: borrowing SignRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard let key = try context.key().privateKey else { throw .noSuchKey }
    context.finding.inputs.scheme = request.scheme
    let signature = try onParameters(
      key.sign(request.message, request.digested ? .digest : .message, request.scheme))
    try reply.write(SignReply(signature: signature.span))
  }
}

/// `verify`: checks a signature; a wrong one is a rejection, so that callers cannot overlook it
/// [OP-SIGN-3].
enum Verify: Operation {
  static let opcode = Opcode.verify

  static func run(
    _ request: borrowing VerifyRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard let key = try context.key().privateKey?.publicKey else { throw .noSuchKey }
    let isGood = try onParameters(
      key.verify(
        request.signature, over: request.message,
        request.digested ? .digest : .message, request.scheme))
    guard isGood else { throw .rejected(.signature) }
  }
}
