/// `random`: bytes from the kernel's generator.
package struct RandomRequest: Message, Hashable, Sendable {
  /// 1 to 1024 bytes.
  package var count = 0

  package static let countRange = 1...1024

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "count", &count, in: Self.countRange)
  }
}

package struct RandomReply: Message, ~Escapable {
  package var random: Span<UInt8>

  @_lifetime(immortal) package init() { random = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "random", &random, .atMost(RandomRequest.countRange.upperBound))
  }
}
