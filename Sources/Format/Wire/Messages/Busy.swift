/// The body of a `busy` reply to a request that asks for it: when to try again [WIRE-24].
package struct Busy: Message, Hashable, Sendable {
  /// Milliseconds.
  package var retryAfter = 1000
  package init() {}

  /// - Parameter nanoseconds: until the caller's limits allow the request; rounded up.
  package init(waiting nanoseconds: Int64) {
    let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)
    retryAfter = min(max(Int(milliseconds), Self.range.lowerBound), Self.range.upperBound)
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint32(1, "retry_after", &retryAfter, in: Self.range)
  }

  /// Up to two weeks: a weekly quota waits so long where the clock was set back.
  package static let range = 1...1_209_600_000
}
