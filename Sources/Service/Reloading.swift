package import Audit
package import Format
import Host
package import Operations
import Policy

/// Why new rules were not put in force; the old ones stay.
package enum ReloadError: Error, Equatable {
  /// The change could not be recorded.
  case audit(AuditError)
  /// The change of policy needs an approval and has none.
  case notApproved
  /// Records are missing that would tell how far this grant's new quota is used up: until then
  /// nothing would be left of it.
  case quotaUnknown(grant: String, until: Timestamp)
}

extension Service {
  /// Puts new rules in force and records that. Waits while a key store is opened or closed.
  package func reload(_ next: Rules) throws(ReloadError) {
    // An unlocking records the rules in force at its start, and counts their quotas: until it
    // serves, they must stay.
    transition.lock()
    defer { transition.unlock() }
    // A log whose disk was full takes the record if there is room again.
    _ = session
    guard try isApproved(next) else { throw .notApproved }
    let unread: (grant: String, end: Timestamp)?
    do throws(AuditError) { unread = try putInForce(next) } catch { throw .audit(error) }
    if let unread { throw .quotaUnknown(grant: unread.grant, until: unread.end) }
  }

  /// Whether the policy may change. If that needs approval, this very policy must have been
  /// requested and approved, with the store open.
  private func isApproved(_ next: Rules) throws(ReloadError) -> Bool {
    let old = rules.snapshot
    guard settings.configuration.operators.approval.contains(.swapPolicy),
      next.policyHash != old.policyHash
    else { return true }
    guard let session = unlocked else { return false }
    guard !session.daemon.pending.takeExpected(policy: next.policyHash) else { return true }
    let refusal = Batch(Attempt(.policySwapRefused(from: old.policyHash, to: next.policyHash)))
    do throws(AuditError) { _ = try session.commit(refusal) } catch { throw .audit(error) }
    return false
  }

  /// - Returns: whose new quota would be used up for want of records, and until when; then the old
  ///   rules stay.
  private func putInForce(_ next: Rules) throws(AuditError) -> (grant: String, end: Timestamp)? {
    let old = rules.snapshot
    if let session = unlocked {
      // A new quota counts its grant's earlier uses; the other quotas are counted already. Before
      // the record: this may fail.
      let quotas = next.policy.quotas.filter {
        old.policy.quotas[$0.key]?.periods != $0.value.periods
      }
      let now = settings.clock()
      let counted = UseLimits()
      try counted.restoreQuotas(of: quotas, from: session.log.reader, at: now, newest: now)
      if let unread = counted.quotas.unread(at: now) { return unread }
      limits.quotas.raise(to: counted.quotas)
      if settings.fleet != nil { session.daemon.replays.widen(to: longestOpening(next)) }
      session.daemon.usedEnvelopes.widen(to: longestEnvelope(next))
      session.daemon.repeatable.widen(to: next.retry.longest)
      var batch = Batch()
      if next.policyHash != old.policyHash {
        batch.add(Attempt(.policySwap(from: old.policyHash, to: next.policyHash)))
      }
      if next.configurationHash != old.configurationHash {
        batch.add(
          Attempt(.configurationSwap(from: old.configurationHash, to: next.configurationHash)))
      }
      if batch.count > 0 { _ = try session.commit(batch) }
    }
    rules.replace(with: next)
    return nil
  }
}

/// The rules for new requests: an immutable snapshot, replaced as a whole.
final class RulesInForce: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var current: Rules

  init(_ rules: Rules) { current = rules }

  var snapshot: Rules { lock.withLock { current } }

  /// Puts other rules in force for requests that begin from now on.
  func replace(with next: Rules) { lock.withLock { current = next } }
}
