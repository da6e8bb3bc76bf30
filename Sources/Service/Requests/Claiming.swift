import Audit
import Crypto
package import Format
import KeyStore
import Operations
import Policy

// The first passes over a read batch of a host in a fleet: what is to be opened is found good, then
// claimed, then served.

extension RequestBatch {
  /// Whether a batch is claimed before it is served.
  package var isInFleet: Bool { session?.daemon.fleet != nil }

  /// Looks at a request; to be called for each of a batch, in their order.
  package mutating func look(_ header: RequestHeader, _ body: Span<UInt8>) {
    claims.append(find(header, body).map { .away($0) } ?? .unclaimed)
  }

  /// Claims what was found, all at once, and waits for the store.
  package mutating func claim() {
    guard let daemon = session?.daemon else { return }
    // The same token can be in a batch twice.
    let wanted = claims.compactMap(\.found?.claim).reduce(into: [ClaimDigest: Claim]()) {
      $0[$1.digest] = $0[$1.digest] ?? $1
    }
    guard !wanted.isEmpty else { return }
    let asked = Array(wanted.values)
    var holdings: [ClaimHolding]?
    let began = service.settings.monotonicClock()
    waiting { holdings = daemon.claim(asked) }
    let waited = UInt64(max(0, service.settings.monotonicClock().nanoseconds - began.nanoseconds))
    let isAway = holdings == nil
    watch.counts.change {
      $0.claiming.note(waited)
      if isAway { $0.unanswered += 1 }
    }
    guard let holdings, holdings.count == asked.count else { return }
    let held = Dictionary(uniqueKeysWithValues: zip(asked.map(\.digest), holdings))
    claims = claims.map { state in
      guard let found = state.found, let holding = held[found.claim.digest] else { return state }
      return .claimed(found, ClaimRuling(holding, of: found.claim, within: found.window))
    }
    let refused = claims.count { if case .claimed(_, .replay) = $0 { true } else { false } }
    if refused > 0 { watch.counts.change { $0.claimsRefused += UInt64(refused) } }
  }

  /// What of a request can be claimed; nil if it opens nothing once, or no grant covers it, or what
  /// the grant allows is used up, or it is to be refused anyway.
  private func find(_ header: RequestHeader, _ body: Span<UInt8>) -> FoundOpening? {
    guard let row = OperationRow.row(for: header.opcode), let operation = row.operation,
      operation.opens != nil, let session,
      socket == .services || caller.owner == nil
    else { return nil }
    let known = memory.known(row.opcode, header.key, from: caller, under: rules, session.keys)
    // An absent key takes policy as many look-ups as a forbidden one, here as when the request is
    // served.
    let key = NamedKey(session.keys.target(header.key), header)
    let covering = known?.covering ?? rules.policy.covering(caller, row.opcode, key: key)
    guard let outlook = covering.outlook(at: service.moment, limits: service.limits) else {
      return nil
    }
    return session.daemon.find(operation, body, outlook, by: caller, rules)
  }
}

// What was opened while the fleet's store was away is claimed once it is back. [FLEET-F3]

extension Service {
  /// Begins with what the log had when the key store was opened.
  package func claimLocalOpenings() {
    if let session = unlocked { claimLater(session) }
  }

  /// Has it claimed in some seconds, if there is anything, and again until all is.
  func claimLater(_ session: Session) {
    let local = session.daemon.localOpenings
    guard local.beginTimer() else { return }
    settings.after(Self.patience) { [self] in
      while unlocked === session, claimSome(session) {}
      local.endTimer()
      if unlocked === session { claimLater(session) }
    }
  }

  /// Between two tries, in nanoseconds.
  private static let patience: Int64 = 5_000_000_000

  /// Claims as much as one question holds.
  ///
  /// - Returns: false if there is nothing to claim, or the store is away.
  private func claimSome(_ session: Session) -> Bool {
    let daemon = session.daemon
    let entries = daemon.localOpenings.all.prefix(ClaimFrameSize.claims.upperBound)
    guard !entries.isEmpty, let holdings = daemon.claim(entries.map(\.claim)),
      holdings.count == entries.count
    else { return false }
    var batch = Batch()
    let events = zip(entries, holdings).map { Event($0, $1) }
    for event in events { batch.add(Attempt(event)) }
    // A failure need not be reported here: the log then refuses requests as well, which is
    // reported.
    guard (try? session.commit(batch)) != nil else { return false }
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
    // Also where the claim is this host's own, for another request that any host may have repeated:
    // it then names itself.
    let isDuplicate = ClaimRuling(holding, of: entry.claim, within: .max) == .replay
    self =
      isDuplicate
      ? .duplicateOpening(claim, opening: entry.sequence, host: holding.host.text)
      : .openingClaimed(claim, opening: entry.sequence)
  }
}
