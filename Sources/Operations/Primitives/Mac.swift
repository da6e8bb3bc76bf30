internal import Format
internal import Host

/// `mac`: a message authentication code under a stored key or a handle [OP-MAC-1].
enum Mac: Operation {
  package static let opcode = Opcode.mac
  package static let bodyCap = PrimitiveCaps.message + 64
  package static let replyCap = PrimitiveCaps.mac + 16

  package static func run(_ request: borrowing MACRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError) {
    let code = try MessageCode.compute(request, context)
    try reply.write(MACReply(mac: code.bytes))
  }
}
