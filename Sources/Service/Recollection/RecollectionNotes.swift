internal import KeyStore
internal import Operations
internal import Policy

/// Saves what the replay guards and the quotas know, so that the next start need not read it from the log.
struct RecollectionNotes: Sendable {
  let keys: KeyStore
  let opened: Recollection.Opened
  let limits: UseLimits
  let rules: RulesInForce
  let state: StateDirectory

  /// A snapshot; to be taken only while nothing is committed. It includes requests without a retry key that have no record yet: if the
  /// daemon crashes just then, their tokens are refused afterwards.
  func taken(at anchor: AuditAnchor) -> RecollectionFile {
    RecollectionFile(
      anchor, policy: rules.snapshot.policyHash, opened.replays.contents(without: opened.repeatable.pendingTransactions), opened.envelopes.contents(),
      opened.repeatable.contents, limits.quotaEntries, local: opened.local.all)
  }

  /// Ignores errors: without the file, the next start reads the log.
  func write(_ file: RecollectionFile) {
    guard let bytes = try? file.serialised(keys) else { return }
    try? state.write(.recollection, bytes)
  }
}
