/// What a reviewer found in the audit log; the names are those of the wire and the log, and never reused.
package enum ReviewOutcome: String, CaseIterable, Sendable {
  /// Nothing that needs to be looked into.
  case clean
  /// Something to be looked into, which the note names.
  case followUp = "follow-up"
  /// Something that should not have happened, which the note names.
  case incident
}
