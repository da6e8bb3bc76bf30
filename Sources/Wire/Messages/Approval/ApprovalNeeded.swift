/// The body of an `approval-needed` reply: what a second person is asked to approve.
package struct ApprovalNeeded: Hashable, Sendable {
  /// The request's short name, eight digits of hexadecimal.
  package let request: String
  /// Seconds since 1970; from then on the request is forgotten.
  package let until: UInt64

  package init(request: String, until: UInt64) { (self.request, self.until) = (request, until) }

  package init(_ body: consuming MessageReader) throws(WireError) {
    request = try body.string(Fields.request, atMost: 16)
    until = try body.uint64(Fields.until)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.string(Fields.request, request)
    try writer.uint(Fields.until, until)
  }

  private enum Fields {
    static let request = Field(1, "request", .string)
    static let until = Field(2, "until", .uint64)
  }

  package static let schema = MessageSchema("ApprovalNeeded", [Fields.request, Fields.until])
}
