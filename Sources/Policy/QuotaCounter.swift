internal import Encoding
internal import Threads
package import Wire

/// Counts the uses of the grants' quotas; outlives the policy, so a reload gives nothing back.
///
/// A restart gives nothing back either, because the counts are restored from the audit log.
package final class QuotaCounter: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var used: [Bucket: Use] = [:]
  /// The last period of each quota for which records are missing; guarded by `lock`.
  private var unknown: [Counted: Int64] = [:]
  private let capacity: Int

  /// - Parameter capacity: how many users and keys of grants are remembered; when all are in use, further ones are refused.
  package init(capacity: Int = 65_536) { self.capacity = capacity }

  /// Takes one use of each quota of `rule`; if one of them is used up, takes none and returns false.
  func take(_ rule: Rule, uid: UInt32, key: KeyID?, at time: Timestamp) -> Bool {
    let buckets = Self.buckets(rule, uid, key)
    guard !buckets.isEmpty else { return true }
    return lock.withLock {
      guard buckets.allSatisfy({ hasRoom(for: $0.bucket, $0.quota, at: time) }) else { return false }
      for (bucket, _) in buckets { count(bucket, at: time) }
      return true
    }
  }

  /// Seconds until none of the rule's quotas is used up; 0 if none is.
  func wait(_ rule: Rule, uid: UInt32, key: KeyID?, at time: Timestamp) -> Int64 {
    lock.withLock {
      let ends = Self.buckets(rule, uid, key).compactMap { bucket, quota -> Int64? in
        guard let last = lastPeriod(usedUp: bucket, quota, at: time) else { return nil }
        return bucket.period.start(last + 1).seconds
      }
      return max(0, (ends.max() ?? time.seconds) - time.seconds)
    }
  }

  /// Counts a use found in the log.
  func restore(_ rule: Rule, uid: UInt32, key: KeyID?, at time: Timestamp) {
    lock.withLock {
      for (bucket, _) in Self.buckets(rule, uid, key) where used[bucket] != nil || used.count < capacity { count(bucket, at: time) }
    }
  }

  /// Marks the rule's quotas as used up for everybody, in those periods at `time` that began before `oldest`: their records before
  /// that are missing.
  func exhaust(_ rule: Rule, before oldest: Timestamp, at time: Timestamp) {
    lock.withLock {
      for period in rule.periods where period.start(of: time) < oldest {
        unknown[Counted(grant: rule.id, period: period)] = period.number(of: time)
      }
    }
  }

  /// Takes over the counts that are higher in another counter.
  func raise(to other: QuotaCounter) {
    let (counted, missing) = other.lock.withLock { (other.used, other.unknown) }
    lock.withLock {
      unknown.merge(missing) { max($0, $1) }
      for (bucket, use) in counted where used[bucket].map({ ($0.period, $0.count) < (use.period, use.count) }) ?? true { used[bucket] = use }
    }
  }

  /// Whose uses are counted together.
  package enum Subject: Hashable, Sendable {
    case user(UInt32)
    case key(KeyID)
  }

  /// One count, as saved across restarts.
  package struct Entry: Hashable, Sendable {
    package let grant: String
    /// Nil if records of the period are missing: the quota is used up for all.
    package let subject: Subject?
    package let period: Quota.Period
    /// The number of the day or week.
    package let number: Int64
    package let count: Int64

    package init(grant: String, subject: Subject?, period: Quota.Period, number: Int64, count: Int64) {
      (self.grant, self.subject, self.period, self.number, self.count) = (grant, subject, period, number, count)
    }
  }

  package var entries: [Entry] {
    lock.withLock {
      used.map { Entry(grant: $0.key.grant, subject: $0.key.subject, period: $0.key.period, number: $0.value.period, count: $0.value.count) }
        + unknown.map { Entry(grant: $0.key.grant, subject: nil, period: $0.key.period, number: $0.value, count: 0) }
    }
  }

  /// Takes over counts saved before a restart.
  package func restore(_ entries: [Entry]) {
    lock.withLock {
      for entry in entries {
        if let subject = entry.subject {
          used[Bucket(grant: entry.grant, subject: subject, period: entry.period)] = Use(period: entry.number, count: entry.count)
        } else {
          unknown[Counted(grant: entry.grant, period: entry.period)] = entry.number
        }
      }
    }
  }

  private struct Bucket: Hashable {
    let grant: String
    let subject: Subject
    let period: Quota.Period
  }

  /// A quota, regardless of who uses it.
  private struct Counted: Hashable {
    let grant: String
    let period: Quota.Period
  }

  private struct Use {
    var period: Int64
    var count: Int64
  }

  private static func buckets(_ rule: Rule, _ uid: UInt32, _ key: KeyID?) -> [(bucket: Bucket, quota: Quota)] {
    var buckets: [(Bucket, Quota)] = []
    if let quota = rule.quota { buckets.append((Bucket(grant: rule.id, subject: .user(uid), period: quota.period), quota)) }
    if let quota = rule.keyQuota, let key { buckets.append((Bucket(grant: rule.id, subject: .key(key), period: quota.period), quota)) }
    return buckets
  }

  private func hasRoom(for bucket: Bucket, _ quota: Quota, at time: Timestamp) -> Bool {
    guard lastPeriod(usedUp: bucket, quota, at: time) == nil else { return false }
    return use(of: bucket, at: time) != nil || makeRoom(at: time)
  }

  /// The number of the last period in which the quota is used up; nil if it is not.
  private func lastPeriod(usedUp bucket: Bucket, _ quota: Quota, at time: Timestamp) -> Int64? {
    if let last = unknown[Counted(grant: bucket.grant, period: bucket.period)], bucket.period.number(of: time) <= last { return last }
    guard let use = use(of: bucket, at: time), use.count >= quota.count else { return nil }
    return use.period
  }

  private func count(_ bucket: Bucket, at time: Timestamp) {
    var use = use(of: bucket, at: time) ?? Use(period: bucket.period.number(of: time), count: 0)
    use.count += 1
    used[bucket] = use
  }

  /// The count that applies at this time; nil if nothing was ever counted.
  ///
  /// If the clock is set back, the period already counted in still applies until it ends, so nothing is given back. A period further
  /// ahead than the next one came from a wrong clock: its count moves to the present period, or the quota could stay used up for years.
  private func use(of bucket: Bucket, at time: Timestamp) -> Use? {
    guard let use = used[bucket] else { return nil }
    let period = bucket.period.number(of: time)
    if use.period < period { return Use(period: period, count: 0) }
    return use.period > period + 1 ? Use(period: period, count: use.count) : use
  }

  /// Drops counts of past periods, which no longer matter, if there is no room.
  private func makeRoom(at time: Timestamp) -> Bool {
    if used.count < capacity { return true }
    used = used.filter { $0.value.period >= $0.key.period.number(of: time) }
    return used.count < capacity
  }
}
