/// `describe`: what this daemon is and takes.
package struct DescribeReply: Message, Hashable, Sendable {
  /// One operation this daemon knows.
  package struct Operation: Message, Hashable, Sendable {
    package var opcode: UInt32 = 0
    package var name = ""
    /// The largest request, header and body, in bytes.
    package var requestCap: UInt32 = 0
    package init() {}

    package init(opcode: UInt32, name: String, requestCap: UInt32) {
      self.opcode = opcode
      self.name = name
      self.requestCap = requestCap
    }

    package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
      try visitor.uint32(1, "opcode", &opcode)
      try visitor.text(2, "name", &name, .atMost(64))
      try visitor.uint32(3, "request_cap", &requestCap)
    }
  }

  package var productVersion = ""
  package var wireVersion: UInt32 = 0
  package var operations: [Operation] = []
  /// Requests a connection may have in flight before it must read replies.
  package var inFlight: UInt32 = 0
  /// A sandbox or rehearsal daemon says so.
  package var rehearsal = false
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "product_version", &productVersion, .atMost(64))
    try visitor.uint32(2, "wire_version", &wireVersion)
    try visitor.messages(
      3, "operations", "OperationDescription", &operations, atMost: 128, count: 256)
    try visitor.uint32(4, "in_flight", &inFlight)
    try visitor.bool(5, "rehearsal", &rehearsal)
  }
}
