/// `list-keys`: the keys the caller may use, in the order of their labels, a page at a time.
package struct ListKeysRequest: Hashable, Sendable {
  /// Only labels that begin so.
  package let prefix: String
  /// Only labels behind this one; a page's last label asks for the next page.
  package let after: String

  package init(prefix: String, after: String = "") { (self.prefix, self.after) = (prefix, after) }

  package init(_ body: consuming MessageReader) throws(WireError) {
    prefix = try body.string(Fields.prefix, atMost: 128)
    after = try body.string(Fields.after, atMost: 128)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.string(Fields.prefix, prefix)
    try writer.string(Fields.after, after)
  }

  private enum Fields {
    static let prefix = Field(1, "prefix", .string)
    static let after = Field(2, "after", .string)
  }

  package static let schema = MessageSchema("ListKeysRequest", [Fields.prefix, Fields.after])
}

package struct ListKeysReply: Hashable, Sendable {
  /// At most `pageSize`.
  package let keys: [KeyDescription]
  /// Whether a further page follows.
  package let more: Bool

  package static let pageSize = 64

  package init(keys: [KeyDescription], more: Bool) { (self.keys, self.more) = (keys, more) }

  package init(_ body: consuming MessageReader) throws(WireError) {
    var keys: [KeyDescription] = []
    while let key = try body.element(Fields.keys, atMost: 16 * 1024) {
      guard keys.count < Self.pageSize else { throw .tooLong(Fields.keys.number) }
      keys.append(try KeyDescription(MessageReader(key)))
    }
    self.keys = keys
    more = try body.bool(Fields.more)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    for key in keys {
      try writer.message(Fields.keys) { (nested) throws(WireError) in try key.encode(into: &nested) }
    }
    try writer.bool(Fields.more, more)
  }

  private enum Fields {
    static let keys = Field(1, "keys", .message("KeyDescription"), .repeated)
    static let more = Field(2, "more", .bool)
  }

  package static let schema = MessageSchema("ListKeysReply", [Fields.keys, Fields.more])
}
