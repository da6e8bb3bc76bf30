internal import Encoding

/// `review-log`: a reviewer has read the audit log up to a checkpoint.
package struct ReviewLogRequest: Hashable, Sendable {
  /// How many records were reviewed: those of the checkpoint.
  package let size: UInt64
  /// The checkpoint's root, 32 bytes.
  package let root: [UInt8]
  package let outcome: ReviewOutcome
  package let note: String

  /// The most bytes of a note.
  package static let noteLimit = 500

  package init(size: UInt64, root: [UInt8], outcome: ReviewOutcome, note: String) {
    (self.size, self.root, self.outcome, self.note) = (size, root, outcome, note)
  }

  package init(_ body: consuming MessageReader) throws(WireError) {
    size = try body.uint64(Fields.size)
    root = try body.bytes(Fields.root, exactly: 32).array
    guard let outcome = ReviewOutcome(rawValue: try body.string(Fields.outcome, atMost: 32)) else { throw .badValue(Fields.outcome.number) }
    self.outcome = outcome
    note = try body.string(Fields.note, atMost: Self.noteLimit)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.uint(Fields.size, size)
    try writer.bytes(Fields.root, root.span, exactly: 32)
    try writer.string(Fields.outcome, outcome.rawValue)
    try writer.bytes(Fields.note, note.utf8.span, atMost: Self.noteLimit)
  }

  private enum Fields {
    static let size = Field(1, "size", .uint64)
    static let root = Field(2, "root", .bytes)
    static let outcome = Field(3, "outcome", .string)
    static let note = Field(4, "note", .string)
  }

  package static let schema = MessageSchema("ReviewLogRequest", [Fields.size, Fields.root, Fields.outcome, Fields.note])
}
