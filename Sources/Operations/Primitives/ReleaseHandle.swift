internal import Format
internal import KeyStore

/// `release-handle`: wipes the secret behind a handle before it expires [OP-HANDLE-4].
enum ReleaseHandle: Operation {
  package static let opcode = Opcode.releaseHandle
  package static let bodyCap = 32
  package static let replyCap = 0

  package static func run(
    _ request: borrowing ReleaseHandleRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter
  ) throws(OperationError) {
    _ = try context.handle(request.handle, spending: true)
  }
}
