internal import Format
internal import Host

/// `verify-mac`: checks a MAC; a wrong one, or one of another length than stated, is a rejection [OP-MAC-3].
enum VerifyMac: Operation {
  package static let opcode = Opcode.verifyMAC
  package static let bodyCap = PrimitiveCaps.message + PrimitiveCaps.mac + 64
  package static let replyCap = 0

  package static func run(_ request: borrowing VerifyMACRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError)
  {
    let code = try MessageCode.compute(request.authenticated, context)
    guard ConstantTime.equal(code.bytes, request.mac) else { throw .rejected(.mac) }
  }
}
