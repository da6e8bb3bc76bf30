/// `audit-digest`: how the audit log writes a value that could be guessed.
package struct AuditDigestRequest: Message, ~Escapable {
  package var field = DigestField.transaction
  /// Of a PAN its ASCII digits.
  package var value: Span<UInt8>

  /// The most bytes of a value.
  package static let valueLimit = OTPSubject.cap

  @_lifetime(immortal) package init() { value = Span() }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.enumeration(1, "field", "DigestField", &field)
    try visitor.bytes(2, "value", &value, .atMost(Self.valueLimit))
  }
}

package struct AuditDigestReply: Message, Hashable, Sendable {
  /// `hmac-sha256:` and 64 digits.
  package var digest = ""

  /// Bytes of the text.
  package static let digestLimit = 76

  package init() {}

  package init(digest: String) { self.digest = digest }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "digest", &digest, .oneTo(Self.digestLimit))
  }
}

/// A field whose values appear in the audit log only as keyed digests; numbers are never reused.
package enum DigestField: UInt8, CaseIterable, Sendable {
  /// Apple's transaction identifier, 32 bytes.
  case transaction = 1
  /// An account number, ASCII digits.
  case pan = 2
  /// Whom a one-time code is for, up to 128 bytes.
  case subject = 3

  /// The name in audit records and in the digested bytes.
  package var name: String {
    switch self {
    case .transaction: "transaction"
    case .pan: "pan"
    case .subject: "subject"
    }
  }
}

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
    guard let outcome = ReviewOutcome(rawValue: word) else {
      throw .badValue(WireField(3, "outcome", "is none of the values it takes"))
    }
    self.outcome = outcome
    try visitor.text(4, "note", &note, .atMost(Self.noteLimit))
  }
}

/// A reviewer's verdict on the audit log; the names are those on the wire and in the log, and are
/// never reused.
package enum ReviewOutcome: String, CaseIterable, Sendable {
  /// Nothing needs to be investigated.
  case clean
  /// Something must be investigated; the note says what.
  case followUp = "follow-up"
  /// Something happened that should not have; the note says what.
  case incident
}
