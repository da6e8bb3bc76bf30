/// `random`: bytes from the kernel's generator.
package struct RandomRequest: Hashable, Sendable {
  /// 1 to 1024 bytes.
  package let count: Int

  package static let countRange = 1...1024

  package init(count: Int) { self.count = count }

  package init(_ body: consuming MessageReader) throws(WireError) {
    count = Int(try body.uint32(Fields.count))
    guard Self.countRange.contains(count) else { throw .badValue(Fields.count.number) }
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.uint(Fields.count, UInt64(count)) }

  private enum Fields {
    static let count = Field(1, "count", .uint32)
  }

  package static let schema = MessageSchema("RandomRequest", [Fields.count])
}

package struct RandomReply: ~Escapable {
  package let random: Span<UInt8>

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    random = try body.bytes(Self.randomField, atMost: RandomRequest.countRange.upperBound)
    try body.end()
  }

  package static let randomField = Field(1, "random", .bytes)
  package static let schema = MessageSchema("RandomReply", [randomField])
}
