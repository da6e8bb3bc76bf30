package import Format
import Host

/// Counts the uses of the grants' quotas; outlives the policy, so a reload gives nothing back.
///
/// A restart gives nothing back either, because the counts are restored from the audit log.
package final class QuotaCounter: @unchecked Sendable {
  private let lock = Lock()
  /// By the number of the period; guarded by `lock`.
  private var used: [Bucket: [Int64: Count]] = [:]
  /// The last period of each quota for which records are missing; guarded by `lock`.
  private var unknown: [Counted: Int64] = [:]
  private let capacity: Int

  /// - Parameter capacity: how many users and keys of grants are remembered; when all are in use,
  ///   further ones are refused.
  package init(capacity: Int = 65_536) { self.capacity = capacity }

  /// Takes one use of each quota of `rule`, to be kept or given back; nil, and none is taken, if
  /// one of them is used up.
  func take(_ rule: Rule, uid: UInt32, key: KeyID?, at time: Timestamp) -> [Use]? {
    let buckets = Self.buckets(rule, uid, key)
    guard !buckets.isEmpty else { return [] }
    return lock.withLock {
      for (bucket, _) in buckets { carry(Use(bucket, at: time)) }
      guard buckets.allSatisfy({ hasRoom(for: $0.bucket, $0.quota, at: time) }) else { return nil }
      return buckets.map { bucket, _ in
        let use = Use(bucket, at: time)
        change(use, 1, 1)
        return use
      }
    }
  }

  /// A record tells of what was taken, or none ever will.
  package func keep(_ uses: [Use]) { end(uses, 0) }
  /// The record was not made.
  package func giveBack(_ uses: [Use]) { end(uses, -1) }

  private func end(_ uses: [Use], _ count: Int64) {
    lock.withLock {
      for use in uses where used[use.bucket]?[use.number] != nil { change(use, count, -1) }
    }
  }

  /// Seconds until none of the rule's quotas is used up; 0 if none is.
  func wait(_ rule: Rule, uid: UInt32, key: KeyID?, at time: Timestamp) -> Int64 {
    lock.withLock {
      let ends = Self.buckets(rule, uid, key).compactMap { bucket, quota -> Int64? in
        carry(Use(bucket, at: time))
        guard let last = lastPeriod(usedUp: bucket, quota, at: time) else { return nil }
        return bucket.period.start(last + 1).seconds
      }
      return max(0, (ends.max() ?? time.seconds) - time.seconds)
    }
  }

  /// Counts a use found in the log.
  func restore(_ rule: Rule, uid: UInt32, key: KeyID?, at time: Timestamp) {
    lock.withLock {
      for (bucket, _) in Self.buckets(rule, uid, key)
      where used[bucket] != nil || used.count < capacity {
        carry(Use(bucket, at: time))
        change(Use(bucket, at: time), 1, 0)
      }
    }
  }

  /// Marks the rule's quotas as used up for everybody, from the periods at `time` to those that
  /// began before `oldest`, and in earlier ones: their records before that were not read. The clock
  /// may have been set back since: then `oldest` is still to come.
  func exhaust(_ rule: Rule, before oldest: Timestamp, at time: Timestamp) {
    lock.withLock {
      for case let period? in rule.periods where period.start(of: time) < oldest {
        unknown[Counted(grant: rule.id, period: period)] = period.number(
          of: Timestamp(microseconds: oldest.microseconds - 1))
      }
    }
  }

  /// Takes over the counts that are higher in another counter, and what that knows of missing
  /// records.
  package func raise(to other: QuotaCounter) {
    let (counted, missing) = other.lock.withLock { (other.used, other.unknown) }
    lock.withLock {
      unknown.merge(missing) { max($0, $1) }
      used.merge(counted) {
        $0.merging($1) {
          Count(
            count: max($0.count - $0.pending, $1.count) + $0.pending, pending: $0.pending,
            isCarried: $0.isCarried || $1.isCarried)
        }
      }
    }
  }

  /// Whose quota is used up because records of a period that contains `time` were not read, and
  /// when the last such period ends.
  package func unread(at time: Timestamp) -> (grant: String, end: Timestamp)? {
    let missing = lock.withLock { unknown.filter { $0.key.period.number(of: time) <= $0.value } }
    return missing.map { ($0.key.grant, $0.key.period.start($0.value + 1)) }.max { $0.1 < $1.1 }
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
    /// Whether it counted in an earlier period, too, because the clock was set back.
    package let isCarried: Bool

    package init(
      grant: String, subject: Subject?, period: Quota.Period, number: Int64, count: Int64,
      isCarried: Bool = false
    ) {
      self.grant = grant
      self.subject = subject
      self.period = period
      self.number = number
      self.count = count
      self.isCarried = isCarried
    }
  }

  package var entries: [Entry] {
    lock.withLock {
      used.flatMap { bucket, counts in
        counts.map {
          Entry(
            grant: bucket.grant, subject: bucket.subject, period: bucket.period, number: $0.key,
            count: $0.value.count - $0.value.pending,
            isCarried: $0.value.isCarried)
        }
      }
        + unknown.map {
          Entry(
            grant: $0.key.grant, subject: nil, period: $0.key.period, number: $0.value, count: 0)
        }
    }
  }

  /// Takes over counts saved before a restart.
  package func restore(_ entries: [Entry]) {
    lock.withLock {
      for entry in entries {
        if let subject = entry.subject {
          used[Bucket(grant: entry.grant, subject: subject, period: entry.period), default: [:]][
            entry.number] =
            Count(count: entry.count, isCarried: entry.isCarried)
        } else {
          unknown[Counted(grant: entry.grant, period: entry.period)] = entry.number
        }
      }
    }
  }

  fileprivate struct Bucket: Hashable {
    let grant: String
    let subject: Subject
    let period: Quota.Period
  }

  /// One use, which counts in its own period, wherever the clock is set later.
  package struct Use: Hashable, Sendable {
    fileprivate let bucket: Bucket
    fileprivate let number: Int64

    fileprivate init(_ bucket: Bucket, at time: Timestamp) {
      self.bucket = bucket
      number = bucket.period.number(of: time)
    }
  }

  /// A quota, regardless of who uses it.
  private struct Counted: Hashable {
    let grant: String
    let period: Quota.Period
  }

  private struct Count {
    var count: Int64 = 0
    /// How many of them are neither kept nor given back yet.
    var pending: Int64 = 0
    var isCarried = false
  }

  private static func buckets(_ rule: Rule, _ uid: UInt32, _ key: KeyID?) -> [(
    bucket: Bucket, quota: Quota
  )] {
    var buckets: [(Bucket, Quota)] = []
    if let quota = rule.quota {
      buckets.append((Bucket(grant: rule.id, subject: .user(uid), period: quota.period), quota))
    }
    if let quota = rule.keyQuota, let key {
      buckets.append((Bucket(grant: rule.id, subject: .key(key), period: quota.period), quota))
    }
    return buckets
  }

  private func hasRoom(for bucket: Bucket, _ quota: Quota, at time: Timestamp) -> Bool {
    guard lastPeriod(usedUp: bucket, quota, at: time) == nil else { return false }
    return used[bucket] != nil || makeRoom(at: time)
  }

  /// The number of the last period without a use left before the next with one; nil if this period
  /// has one.
  ///
  /// The uses of the period after it count, too, in case the clock was set back: so nothing is
  /// given back.
  private func lastPeriod(usedUp bucket: Bucket, _ quota: Quota, at time: Timestamp) -> Int64? {
    let now = bucket.period.number(of: time)
    var next = max(
      now, unknown[Counted(grant: bucket.grant, period: bucket.period)].map { $0 + 1 } ?? now)
    let counts = used[bucket] ?? [:]
    while (counts[next]?.count ?? 0) + (counts[next + 1]?.count ?? 0) >= quota.count { next += 1 }
    return next == now ? nil : next - 1
  }

  /// Has the uses of periods further ahead, from a clock that was wrong, count once in the present
  /// one, or the quota could stay used up for years.
  private func carry(_ use: Use) {
    for (number, count) in used[use.bucket] ?? [:] where number > use.number + 1 && !count.isCarried
    {
      used[use.bucket]?[number]?.isCarried = true
      change(use, count.count, 0)
    }
  }

  private func change(_ use: Use, _ count: Int64, _ pending: Int64) {
    var counts = used[use.bucket] ?? [:]
    counts[use.number, default: Count()].count += count
    counts[use.number, default: Count()].pending += pending
    // A clock that is set to and fro makes many periods: those farthest from the present one go.
    while counts.count > Self.periods,
      let far = counts.keys.max(by: { ($0 - use.number).magnitude < ($1 - use.number).magnitude })
    { counts[far] = nil }
    used[use.bucket] = counts
  }

  /// How many periods of each quota are remembered.
  private static let periods = 4

  /// Drops counts of past periods, which no longer matter, if there is no room.
  private func makeRoom(at time: Timestamp) -> Bool {
    if used.count < capacity { return true }
    used = used.filter { bucket, counts in
      counts.keys.contains { $0 >= bucket.period.number(of: time) }
    }
    return used.count < capacity
  }
}
