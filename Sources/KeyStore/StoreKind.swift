/// Whether a store's keys are for real; a daemon for the one kind refuses the other. [KS-KIND]
package enum StoreKind: String, CaseIterable, Sendable {
  case production
  /// Sandboxes and ceremony rehearsals.
  case rehearsal
}
