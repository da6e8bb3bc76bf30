package import Audit
package import Operations
internal import Policy
internal import Threads
internal import Wire

/// Why new rules were not put in force; the old ones stay.
package enum ReloadError: Error, Equatable, Sendable {
  /// The change could not be recorded.
  case audit(AuditError)
  /// The change of policy needs an approval and has none.
  case notApproved
}

extension Service {
  /// Puts new rules in force and records that. Waits while a key store is opened or closed.
  package func reload(_ next: Rules) throws(ReloadError) {
    // An unlocking records the rules in force at its start, and counts their quotas: until it serves, they must stay.
    transition.lock()
    defer { transition.unlock() }
    // A log whose disk was full takes the record if there is room again.
    _ = serving
    guard try isApproved(next) else { throw .notApproved }
    do throws(AuditError) { try putInForce(next) } catch { throw .audit(error) }
  }

  /// Whether the policy may change. If that needs approval, this very policy must have been requested and approved, with the store open.
  private func isApproved(_ next: Rules) throws(ReloadError) -> Bool {
    let old = rules.snapshot
    guard settings.approval.operations.contains(.swapPolicy), next.policyHash != old.policyHash else { return true }
    guard let serving = unlocked else { return false }
    guard !serving.daemon.pending.takeExpected(policy: next.policyHash) else { return true }
    let refusal = Batch(Attempt(.policySwapRefused(from: old.policyHash, to: next.policyHash)))
    do throws(AuditError) { _ = try serving.commit(refusal) } catch { throw .audit(error) }
    return false
  }

  private func putInForce(_ next: Rules) throws(AuditError) {
    let old = rules.snapshot
    if let serving = unlocked {
      // A new or changed quota counts its grant's earlier uses; the other quotas are counted already. Before the record: this may fail.
      let quotas = next.policy.quotas.filter { old.policy.quotas[$0.key] != $0.value }
      let now = settings.clock()
      if settings.fleet != nil { serving.daemon.replays.widen(to: longestOpening(next)) }
      serving.daemon.usedEnvelopes.widen(to: next.standInKeys.longestOneUse)
      serving.daemon.repeatable.widen(to: next.retry.longest)
      try limits.restoreQuotas(of: quotas, from: serving.log.reader, at: now, newest: now)
      var batch = Batch()
      if next.policyHash != old.policyHash { batch.add(Attempt(.policySwap(from: old.policyHash, to: next.policyHash))) }
      if next.configurationHash != old.configurationHash {
        batch.add(Attempt(.configurationSwap(from: old.configurationHash, to: next.configurationHash)))
      }
      if batch.count > 0 { _ = try serving.commit(batch) }
    }
    rules.replace(with: next)
  }
}
