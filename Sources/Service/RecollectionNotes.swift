internal import KeyStore
internal import Operations
internal import Policy

/// Writes down what the replay guard and the quotas know, so that the next start need not read it from the log.
struct RecollectionNotes: Sendable {
  let keys: KeyStore
  let replays: ReplayGuard
  let limits: UseLimits
  let rules: RulesInForce
  let state: StateDirectory

  /// What they know now; only while nothing is committed. A request that is not on the record yet counts as done: its token is refused
  /// after a crash in just this moment.
  func taken(at anchor: AuditAnchor) -> RecollectionFile {
    RecollectionFile(anchor, policy: rules.snapshot.policyHash, replays.contents, limits.quotaEntries)
  }

  /// Without it the next start reads the log, so failing loses nothing.
  func write(_ file: RecollectionFile) {
    guard let bytes = try? file.serialised(keys) else { return }
    try? state.write(.recollection, bytes)
  }
}
