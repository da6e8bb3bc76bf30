/// `review-log`: a reviewer has read the audit log up to a checkpoint.
package struct ReviewLogRequest: Message, Hashable, Sendable {
  /// How many records were reviewed: those of the checkpoint.
  package var size: UInt64 = 0
  /// The checkpoint's root, 32 bytes.
  package var root: [UInt8] = []
  package var outcome = ReviewOutcome.clean
  package var note = ""

  /// The most bytes of a note.
  package static let noteLimit = 500

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.uint64(1, "size", &size)
    try visitor.bytes(2, "root", &root, .exactly(32))
    var word = outcome.rawValue
    try visitor.text(3, "outcome", &word, .atMost(32))
    guard let outcome = ReviewOutcome(rawValue: word) else { throw .badValue(WireField(3, "outcome", "is none of the values it takes")) }
    self.outcome = outcome
    try visitor.text(4, "note", &note, .atMost(Self.noteLimit))
  }
}
