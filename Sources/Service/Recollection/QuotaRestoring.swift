import Audit
import Format
import Policy

extension UseLimits {
  /// Counts the uses of these rules' quotas that the log holds for the periods that contain `now`.
  ///
  /// Uses that are counted here already are not counted twice. Requests that leave no record count
  /// only until the next start. If records of a period are missing, its quotas are used up.
  /// - Parameter newest: the time of the last record, in case the clock is ahead of it.
  /// - Returns: which of the records could be read.
  @discardableResult func restoreQuotas(
    of rules: [String: Rule], from log: LogReader, at now: Timestamp, newest: Timestamp,
    _ isRead: (Record) -> Void = { _ in }
  ) throws(AuditError) -> LogReader.Extent {
    let present = min(now, newest)
    guard let start = rules.values.compactMap({ $0.quotaStart(at: present) }).min() else {
      return .all
    }
    let counted = UseLimits()
    var first: UInt64?
    let extent = try log.forEachRecord(since: start) { record, _ in
      isRead(record)
      first = first ?? record.sequence
      counted.count(record, of: rules)
      return true
    }
    // Of what was used before that nothing is known, should the clock be set back there.
    if first ?? 0 > 0 {
      for rule in rules.values {
        rule.exhaust(in: counted, before: start, at: start.adding(seconds: -1))
      }
    }
    if case .from(_, let oldest) = extent {
      for rule in rules.values { rule.exhaust(in: counted, before: oldest, at: present) }
    }
    quotas.raise(to: counted.quotas)
    return extent
  }

  /// Counts the use that a record shows, if its grant is one of these rules.
  func count(_ record: Record, of rules: [String: Rule]) {
    guard !record.inputs.isRepetition, let decision = record.policy, decision.isAllowed,
      let rule = decision.grant.flatMap({ rules[$0] }),
      let uid = record.actor.flatMap({ UInt32(exactly: $0.person) })
    else { return }
    rule.restore(in: self, uid: uid, key: record.key, at: record.time)
  }
}
