import Crypto
import Format
import Host
import KeyStore
import Policy

/// `ecdh`: agrees on Z with a peer; keeps Z behind a handle unless the grant releases it
/// [OP-ECDH-1].
enum ECDH: Operation {
  static let opcode = Opcode.ecdh

  static func run(
    _ request: borrowing ECDHRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard !request.release || context.grant.secrets.contains(.sharedSecret) else {
      throw .noSuchKey
    }
    let slot = try context.key()
    guard let key = slot.privateKey else { throw .noSuchKey }
    let z: SecretBuffer
    do throws(CryptoError) { z = try key.agree(withPeer: request.peer) } catch {
      throw error == .invalidPoint ? .rejected(.peerKey) : OperationError(error)
    }
    if request.release {
      try release(z, into: &reply)
      context.finding.secrets = ReleasedSecrets([.sharedSecret])
    } else {
      let handle = try context.handles.add(z, .sharedSecret, of: slot.record.id)
      var answer = ECDHReply()
      answer.handle = handle.span
      try reply.write(answer)
    }
  }

  private static func release(_ z: borrowing SecretBuffer, into reply: inout MessageWriter)
    throws(OperationError)
  {
    var answer = ECDHReply()
    answer.sharedSecret = z.bytes
    try reply.write(answer)
  }
}
