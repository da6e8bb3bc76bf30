/// `list-keys`: the keys the caller may use, in the order of their labels, a page at a time.
package struct ListKeysRequest: Message, Hashable, Sendable {
  /// Only labels that begin so.
  package var prefix = ""
  /// Only labels behind this one; a page's last label asks for the next page.
  package var after = ""
  /// Only the labels that this pattern of policy covers, such as `merchant/acme/*`; all if it is empty.
  package var pattern = ""
  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "prefix", &prefix, .atMost(128))
    try visitor.text(2, "after", &after, .atMost(128))
    try visitor.text(3, "pattern", &pattern, .atMost(128))
  }
}

package struct ListKeysReply: Message, Hashable, Sendable {
  /// At most `pageSize`.
  package var keys: [KeyDescription] = []
  /// Whether a further page follows.
  package var more = false

  package static let pageSize = 64

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.messages(1, "keys", "KeyDescription", &keys, atMost: 16 * 1024, count: Self.pageSize)
    try visitor.bool(2, "more", &more)
  }
}
