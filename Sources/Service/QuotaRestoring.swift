internal import Audit
internal import Encoding
internal import Policy

extension UseLimits {
  /// Counts what the log has of the policy's quotas since the periods began that `now` is in.
  ///
  /// What was counted here already is not counted twice; requests that leave no record count until the next start only.
  func restoreQuotas(of policy: Policy, from log: LogReader, at now: Timestamp) throws(AuditError) {
    let rules = policy.quotas
    guard let start = rules.values.compactMap({ $0.quotaStart(at: now) }).min() else { return }
    let counted = UseLimits()
    try log.forEachRecord(since: start) { record, _ in
      guard let decision = record.policy, decision.isAllowed, let rule = decision.grant.flatMap({ rules[$0] }),
        let uid = record.actor.flatMap({ UInt32(exactly: $0.uid) })
      else { return true }
      // A record from a clock that was ahead counts now.
      rule.restore(in: counted, uid: uid, key: record.key, at: min(record.time, now))
      return true
    }
    raiseQuotas(to: counted)
  }
}
