internal import Crypto
internal import Format
internal import KeyStore

/// `seal`: AES-256-GCM into an envelope, with a nonce that the daemon draws [OP-SEAL-1].
enum Seal: Operation {
  package static let opcode = Opcode.seal
  package static let bodyCap = PrimitiveCaps.message + PrimitiveCaps.associatedData + 64
  package static let replyCap = PrimitiveCaps.sealed + 16

  package static func replyCap(forBodyOf bodyCount: Int) -> Int { min(replyCap, bodyCount + PrimitiveCaps.envelopeOverhead + 16) }

  package static func run(_ request: borrowing SealRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError) {
    let key = try WorkingKey(request.handle, context)
    let id =
      switch key {
      case .stored(let slot): slot.record.id
      case .held: KeyID.none
      }
    let sealed = try key.withBytes { (bytes) throws(OperationError) in try seal(request, bytes, id.bytes) }
    var answer = SealReply()
    answer.sealed = sealed.span
    try reply.write(answer)
  }

  private static func seal(_ request: borrowing SealRequest, _ key: Span<UInt8>, _ id: [UInt8]) throws(OperationError) -> [UInt8] {
    guard key.count == 32 else { throw .rejected(.parameters) }
    do throws(CryptoError) {
      return try Envelope.seal(request.plaintext, key: key, id: id.span, associatedData: request.associatedData)
    } catch { throw OperationError(error) }
  }
}
