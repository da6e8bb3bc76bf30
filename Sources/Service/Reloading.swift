package import Audit
internal import Policy

extension Service {
  /// Puts other rules in force, on the record.
  ///
  /// - Throws: `AuditError` where the change could not be recorded; then the old rules stay.
  package func reload(_ next: Rules) throws(AuditError) {
    let old = rules.snapshot
    if let serving = unlocked {
      var batch = Batch()
      if next.policyHash != old.policyHash { batch.add(Attempt(.policySwap(from: old.policyHash, to: next.policyHash))) }
      if next.configurationHash != old.configurationHash {
        batch.add(Attempt(.configurationSwap(from: old.configurationHash, to: next.configurationHash)))
      }
      if batch.count > 0 { _ = try serving.commit(batch) }
      // A quota that is new counts what its grant was used for before.
      if next.policy.quotas != old.policy.quotas { try limits.restoreQuotas(of: next.policy, from: serving.log.reader, at: settings.clock()) }
    }
    rules.replace(with: next)
  }
}
