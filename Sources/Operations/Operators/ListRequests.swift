internal import Format

/// `list-requests`: the requests that wait for approval.
enum ListRequests: Operation {
  package static let opcode = Opcode.listRequests
  package static let bodyCap = 0
  package static let replyCap = 32 * 1024

  package static func run(_ request: borrowing NoFields, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError) {
    try reply.write(ListRequestsReply(requests: context.daemon.pending.list))
  }
}
