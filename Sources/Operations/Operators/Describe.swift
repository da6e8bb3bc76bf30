import Format

/// `describe`: what this daemon is, which operations it knows and how large their requests may be.
enum Describe: Operation {
  static let opcode = Opcode.describe
  static func replyCap(forBodyOf _: Int) -> Int { 4096 }

  static func run(
    _ request: borrowing NoFields, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    var description = DescribeReply()
    description.productVersion = ProductVersion.text
    description.wireVersion = UInt32(RequestHeader.version)
    description.operations = operationTable.map { row in
      var operation = OperationDescription()
      operation.opcode = UInt32(row.opcode.rawValue)
      operation.name = row.opcode.name
      operation.requestCap = UInt32(row.frameCap)
      return operation
    }
    description.inFlight = UInt32(context.daemon.inFlight)
    description.rehearsal = context.daemon.isRehearsal
    try reply.write(description)
  }
}
