/// A reviewer's verdict on the audit log; the names are those on the wire and in the log, and are never reused.
package enum ReviewOutcome: String, CaseIterable, Sendable {
  /// Nothing needs to be investigated.
  case clean
  /// Something must be investigated; the note says what.
  case followUp = "follow-up"
  /// Something happened that should not have; the note says what.
  case incident
}
