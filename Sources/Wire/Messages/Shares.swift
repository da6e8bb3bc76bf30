/// `submit-share`: a custodian's share of the key encryption key, towards its unlocking.
package struct SubmitShareRequest: ~Escapable {
  /// 1 to 512 bytes: the share's words with white space between them.
  package let words: Span<UInt8>

  @_lifetime(copy words)
  package init(words: Span<UInt8>) { self.words = words }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    words = try body.bytes(Fields.words, atMost: 512)
    guard !words.isEmpty else { throw .badValue(Fields.words.number) }
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) { try writer.bytes(Fields.words, words) }

  private enum Fields {
    static let words = Field(1, "words", .bytes)
  }

  package static let schema = MessageSchema("SubmitShareRequest", [Fields.words])
}

/// How far the custodians have come: the reply to `submit-share` and `share-progress`.
package struct ShareProgressReply: Hashable, Sendable {
  /// Shares that are there.
  package var present: UInt32 = 0
  /// Shares that must be there; zero where the key encryption key is not split.
  package var needed: UInt32 = 0
  /// When those that are there are wiped, in seconds since 1970; zero where none are.
  package var until: UInt64 = 0
  /// Whether the key store is open.
  package var unlocked = false

  package init() {}

  package init(_ body: consuming MessageReader) throws(WireError) {
    present = try body.uint32(Fields.present)
    needed = try body.uint32(Fields.needed)
    until = try body.uint64(Fields.until)
    unlocked = try body.bool(Fields.unlocked)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.uint(Fields.present, UInt64(present))
    try writer.uint(Fields.needed, UInt64(needed))
    try writer.uint(Fields.until, until)
    try writer.bool(Fields.unlocked, unlocked)
  }

  private enum Fields {
    static let present = Field(1, "present", .uint32)
    static let needed = Field(2, "needed", .uint32)
    static let until = Field(3, "until", .uint64)
    static let unlocked = Field(4, "unlocked", .bool)
  }

  package static let schema = MessageSchema("ShareProgressReply", [Fields.present, Fields.needed, Fields.until, Fields.unlocked])
}
