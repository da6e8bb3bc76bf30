internal import Audit
internal import Crypto
internal import Format
internal import KeyStore

/// `sign`: signs a message or its digest, in a scheme that the key's kind allows [OP-SIGN-1].
enum Sign: Operation {
  package static let opcode = Opcode.sign
  package static let bodyCap = PrimitiveCaps.message + 16
  package static let replyCap = PrimitiveCaps.modulus + 16

  package static func run(_ request: borrowing SignRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError) {
    guard let key = try context.key().privateKey else { throw .noSuchKey }
    context.finding.inputs.scheme = request.scheme
    let signature: [UInt8]
    do throws(CryptoError) {
      signature = try key.sign(request.message, request.digested ? .digest : .message, request.scheme)
    } catch { throw OperationError(parameters: error) }
    try reply.write(SignReply(signature: signature.span))
  }
}
