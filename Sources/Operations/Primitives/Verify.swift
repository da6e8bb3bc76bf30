internal import Crypto
internal import Format
internal import KeyStore

/// `verify`: checks a signature; a wrong one is a rejection, so that callers cannot overlook it [OP-SIGN-3].
enum Verify: Operation {
  package static let opcode = Opcode.verify
  package static let bodyCap = PrimitiveCaps.message + PrimitiveCaps.modulus + 32
  package static let replyCap = 0

  package static func run(_ request: borrowing VerifyRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError) {
    guard let key = try context.key().privateKey?.publicKey else { throw .noSuchKey }
    let isGood: Bool
    do throws(CryptoError) {
      isGood = try key.verify(request.signature, over: request.signed.message, request.signed.digested ? .digest : .message, request.signed.scheme)
    } catch { throw OperationError(parameters: error) }
    guard isGood else { throw .rejected(.signature) }
  }
}
