import Crypto
import Format
import Host
import KeyStore

/// `unwrap`: RSAES-OAEP with SHA-256, into a handle; all failures look the same [OP-UNWRAP-1].
enum Unwrap: Operation {
  static let opcode = Opcode.unwrap

  /// The sizes of a secret that a handle can hold, in bytes.
  private static let sizes = 16...64

  static func run(
    _ request: borrowing UnwrapRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    guard let key = slot.privateKey else { throw .noSuchKey }
    let secret: SecretBuffer
    do throws(CryptoError) { secret = try key.decryptOAEP(request.wrappedKey) } catch {
      throw error == .authenticationFailed ? .rejected(.unwrap) : OperationError(error)
    }
    guard sizes.contains(secret.count) else { throw .rejected(.unwrap) }
    let handle = try context.handles.add(secret, .unwrappedKey, of: slot.record.id)
    try reply.write(UnwrapReply(handle: handle.span))
  }
}
