/// What somebody does in a ceremony.
package enum PersonRole: String, CaseIterable, Sendable {
  /// Sits at the keyboard, and leads.
  case administrator
  /// Reads check values back, and types them: the second pair of eyes.
  case `operator`
  /// Holds one share or component of a key.
  case custodian
  /// Watches, and signs the transcript; does nothing else.
  case witness
}
