package import Audit

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
    }
    rules.replace(with: next)
  }
}
