/// The body of a `malformed` reply: what is wrong with the request's body.
package struct Malformation: Message, Hashable, Sendable {
  /// A sentence for a person, such as `transaction_id has 31 bytes; it takes 32`.
  package var why = ""
  package init() {}

  package init(_ error: WireError) { why = error.description }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "why", &why, .oneTo(Self.cap))
  }

  /// The most bytes of the sentence.
  package static let cap = 160
}
