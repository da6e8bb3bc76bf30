/// `approve`: a second person lets somebody else's request run, once.
package struct ApproveRequest: Message, Hashable, Sendable {
  /// As `ApprovalNeeded` names it.
  package var request = ""
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "request", &request, .oneTo(16))
  }
}
