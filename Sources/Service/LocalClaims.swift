internal import Audit
internal import Crypto
internal import Format
internal import Operations

// What was opened while the fleet's store was away is claimed once it is back. [FLEET-F3]
extension Service {
  /// Begins with what the log had when the key store was opened.
  package func claimLocalOpenings() {
    if let serving = unlocked { claimLater(serving) }
  }

  /// Has it claimed in some seconds, if there is anything, and again until all is.
  func claimLater(_ serving: Serving) {
    let local = serving.daemon.localOpenings
    guard local.beginTimer() else { return }
    settings.after(Self.patience) { [self] in
      while unlocked === serving, claimSome(serving) {}
      local.endTimer()
      if unlocked === serving { claimLater(serving) }
    }
  }

  /// Between two tries, in nanoseconds.
  private static let patience: Int64 = 5_000_000_000

  /// Claims as much as one question holds.
  ///
  /// - Returns: false if there is nothing to claim, or the store is away.
  private func claimSome(_ serving: Serving) -> Bool {
    let daemon = serving.daemon
    let entries = daemon.localOpenings.all.prefix(ClaimFrameSize.claims.upperBound)
    guard !entries.isEmpty, let holdings = daemon.claim(entries.map(\.claim)), holdings.count == entries.count else { return false }
    var batch = Batch()
    let events = zip(entries, holdings).map { Event($0, $1) }
    for event in events { batch.add(Attempt(event)) }
    // A failure need not be reported here: the log then refuses requests as well, which is reported.
    guard (try? serving.commit(batch)) != nil else { return false }
    for (entry, event) in zip(entries, events) {
      daemon.localOpenings.remove(entry.claim.digest)
      guard case .duplicateOpening(let claim, let opening, let host) = event else { continue }
      tallies.own.change { $0.duplicates += 1 }
      settings.report(.duplicateOpening(claim, opening: opening, host: host))
    }
    return true
  }
}

extension Event {
  /// What a claim that was made late turned out to be.
  fileprivate init(_ entry: LocalOpenings.Entry, _ holding: ClaimHolding) {
    let claim = Digest256(entry.claim.digest)
    // Also where the claim is this host's own, for another request that any host may have repeated: it then names itself.
    let isDuplicate = ClaimRuling(holding, of: entry.claim, within: .max) == .replay
    self = isDuplicate ? .duplicateOpening(claim, opening: entry.sequence, host: holding.host.text) : .openingClaimed(claim, opening: entry.sequence)
  }
}
