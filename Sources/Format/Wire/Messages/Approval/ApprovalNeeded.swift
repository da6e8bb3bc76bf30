/// The body of an `approval-needed` reply: what a second person is asked to approve.
package struct ApprovalNeeded: Message, Hashable, Sendable {
  /// The request's short name, eight digits of hexadecimal.
  package var request = ""
  /// Seconds since 1970; from then on the request is forgotten.
  package var until: UInt64 = 0
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "request", &request, .atMost(16))
    try visitor.uint64(2, "until", &until)
  }
}
