/// Whether a store's keys are real; a daemon for one kind refuses the other. [KS-KIND]
package enum StoreKind: String, CaseIterable, Sendable {
  case production
  /// Sandboxes and ceremony rehearsals.
  case rehearsal
}
