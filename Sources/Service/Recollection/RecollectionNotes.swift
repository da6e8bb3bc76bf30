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

  /// A snapshot of what has a record; to be taken only while nothing is committed.
  func taken(at anchor: AuditAnchor) -> RecollectionFile {
    RecollectionFile(
      anchor, policy: rules.snapshot.policyHash, opened.replays.contents, opened.envelopes.contents,
      opened.repeatable.contents, limits.quotas.entries, local: opened.local.all)
  }

  /// Ignores errors: without the file, the next start reads the log.
  func write(_ file: RecollectionFile) {
    guard let bytes = try? file.serialised(keys) else { return }
    try? state.write(.recollection, bytes)
  }
}
