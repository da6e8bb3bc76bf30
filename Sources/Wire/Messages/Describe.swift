/// `describe`: what this daemon is and takes.
package struct DescribeReply: Hashable, Sendable {
  /// One operation this daemon knows.
  package struct Operation: Hashable, Sendable {
    package let opcode: UInt32
    package let name: String
    /// The largest request, header and body, in bytes.
    package let requestCap: UInt32

    package init(opcode: UInt32, name: String, requestCap: UInt32) {
      (self.opcode, self.name, self.requestCap) = (opcode, name, requestCap)
    }

    package init(_ body: consuming MessageReader) throws(WireError) {
      opcode = try body.uint32(Fields.opcode)
      name = try body.string(Fields.name, atMost: 64)
      requestCap = try body.uint32(Fields.requestCap)
      try body.end()
    }

    package func encode(into writer: inout MessageWriter) throws(WireError) {
      try writer.uint(Fields.opcode, UInt64(opcode))
      try writer.string(Fields.name, name)
      try writer.uint(Fields.requestCap, UInt64(requestCap))
    }

    private enum Fields {
      static let opcode = Field(1, "opcode", .uint32)
      static let name = Field(2, "name", .string)
      static let requestCap = Field(3, "request_cap", .uint32)
    }

    package static let schema = MessageSchema("OperationDescription", [Fields.opcode, Fields.name, Fields.requestCap])
  }

  package let productVersion: String
  package let wireVersion: UInt32
  package let operations: [Operation]
  /// Requests a connection may have in flight before it must read replies.
  package let inFlight: UInt32
  /// A sandbox or rehearsal daemon says so.
  package let rehearsal: Bool

  package init(productVersion: String, wireVersion: UInt32, operations: [Operation], inFlight: UInt32, rehearsal: Bool) {
    (self.productVersion, self.wireVersion, self.operations) = (productVersion, wireVersion, operations)
    (self.inFlight, self.rehearsal) = (inFlight, rehearsal)
  }

  package init(_ body: consuming MessageReader) throws(WireError) {
    productVersion = try body.string(Fields.productVersion, atMost: 64)
    wireVersion = try body.uint32(Fields.wireVersion)
    var operations: [Operation] = []
    while let operation = try body.element(Fields.operations, atMost: 128) {
      guard operations.count < 256 else { throw .tooLong(Fields.operations.number) }
      operations.append(try Operation(MessageReader(operation)))
    }
    self.operations = operations
    inFlight = try body.uint32(Fields.inFlight)
    rehearsal = try body.bool(Fields.rehearsal)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.string(Fields.productVersion, productVersion)
    try writer.uint(Fields.wireVersion, UInt64(wireVersion))
    for operation in operations {
      try writer.message(Fields.operations) { (nested) throws(WireError) in try operation.encode(into: &nested) }
    }
    try writer.uint(Fields.inFlight, UInt64(inFlight))
    try writer.bool(Fields.rehearsal, rehearsal)
  }

  private enum Fields {
    static let productVersion = Field(1, "product_version", .string)
    static let wireVersion = Field(2, "wire_version", .uint32)
    static let operations = Field(3, "operations", .message("OperationDescription"), .repeated)
    static let inFlight = Field(4, "in_flight", .uint32)
    static let rehearsal = Field(5, "rehearsal", .bool)
  }

  package static let schema = MessageSchema(
    "DescribeReply",
    [Fields.productVersion, Fields.wireVersion, Fields.operations, Fields.inFlight, Fields.rehearsal])
}
