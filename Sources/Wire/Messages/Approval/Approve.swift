/// `approve`: a second person lets somebody else's request run, once.
package struct ApproveRequest: Hashable, Sendable {
  /// As `ApprovalNeeded` names it.
  package let request: String

  package init(request: String) { self.request = request }

  package init(_ body: consuming MessageReader) throws(WireError) {
    request = try body.string(Fields.request, atMost: 16)
    guard !request.isEmpty else { throw .badValue(Fields.request.number) }
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.string(Fields.request, request) }

  private enum Fields {
    static let request = Field(1, "request", .string)
  }

  package static let schema = MessageSchema("ApproveRequest", [Fields.request])
}
