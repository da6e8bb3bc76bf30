internal import Audit
internal import Encoding
internal import Policy

extension UseLimits {
  /// Counts what the log has of these rules' quotas since the periods began that `now` is in.
  ///
  /// What was counted here already is not counted twice; requests that leave no record count until the next start only. Where records
  /// of a period are missing, its quotas are used up.
  /// - Parameter newest: the last record's time where the clock may be ahead of it.
  /// - Returns: which of the records there were.
  @discardableResult func restoreQuotas(
    of rules: [String: Rule], from log: LogReader, at now: Timestamp, newest: Timestamp, _ isRead: (Record) -> Void = { _ in }
  ) throws(AuditError) -> LogReader.Extent {
    let present = min(now, newest)
    guard let start = rules.values.compactMap({ $0.quotaStart(at: present) }).min() else { return .all }
    let counted = UseLimits()
    let extent = try log.forEachRecord(since: start) { record, _ in
      isRead(record)
      counted.count(record, of: rules, at: now)
      return true
    }
    if case .from(_, let oldest) = extent {
      for rule in rules.values { rule.exhaust(in: counted, before: oldest, at: present) }
    }
    raiseQuotas(to: counted)
    return extent
  }

  /// Counts a record's use of one of these quotas.
  func count(_ record: Record, of rules: [String: Rule], at now: Timestamp) {
    guard let decision = record.policy, decision.isAllowed, let rule = decision.grant.flatMap({ rules[$0] }),
      let uid = record.actor.flatMap({ UInt32(exactly: $0.person) })
    else { return }
    // A record from a clock that was ahead counts now.
    rule.restore(in: self, uid: uid, key: record.key, at: min(record.time, now))
  }
}
