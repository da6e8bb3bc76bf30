package import Format

/// How much of the grants' rates and quotas is used; shared by successive policies.
package struct UseLimits: Sendable {
  let rates: RateLimiter
  package let quotas: QuotaCounter

  package init(rates: RateLimiter = RateLimiter(), quotas: QuotaCounter = QuotaCounter()) {
    self.rates = rates
    self.quotas = quotas
  }

  /// Takes a token of the rule's rate. A use that a quota denies takes it as well, and so does a
  /// retry, which no quota counts.
  func takeRate(_ rule: Rule, _ opcode: Opcode, uid: UInt32, at moment: Moment) -> Bool {
    rule.limit(of: opcode).map {
      rates.take(grant: $0.bucket, uid: uid, rate: $0.rate, now: moment.monotonic)
    } ?? true
  }

  /// Nanoseconds until the rule's limits allow one more use; 0 if they do.
  func wait(_ rule: Rule, _ opcode: Opcode, uid: UInt32, key: KeyID?, at moment: Moment) -> Int64 {
    let rate =
      rule.limit(of: opcode).map {
        rates.wait(grant: $0.bucket, uid: uid, rate: $0.rate, now: moment.monotonic)
      } ?? 0
    // A clock that was far ahead may have left a quota used up for centuries.
    let quota = min(quotas.wait(rule, uid: uid, key: key, at: moment.time), 1 << 32)
    return max(rate, quota * 1_000_000_000)
  }
}

/// One moment on both clocks.
package struct Moment: Sendable {
  /// The wall clock, for dates, hours and quotas.
  package let time: Timestamp
  /// The monotonic clock, for rates.
  package let monotonic: MonotonicTime

  package init(_ time: Timestamp, _ monotonic: MonotonicTime) {
    self.time = time
    self.monotonic = monotonic
  }
}

extension Policy {
  /// The rules with a quota, by id.
  package var quotas: [String: Rule] {
    Dictionary(rules.filter { $0.quota != nil || $0.keyQuota != nil }.map { ($0.id, $0) }) {
      first, _ in first
    }
  }
}

extension Rule {
  /// The rate that limits an operation, and whose bucket it is; no grant has the empty id.
  fileprivate func limit(of opcode: Opcode) -> (bucket: String, rate: Rate)? {
    if let rate { return (id, rate) }
    return opcode.traits.isQuestion ? ("", .ofQuestions) : nil
  }

  /// The periods of its quotas, of a user and of a key.
  package var periods: [Quota.Period?] { [quota?.period, keyQuota?.period] }

  /// The time from which on uses count for this rule's quotas at `now`; nil if it has none.
  package func quotaStart(at now: Timestamp) -> Timestamp? {
    periods.compactMap { $0?.start(of: now) }.min()
  }

  /// Marks its quotas as used up in those periods at `now` that began before `oldest`, because
  /// their records are missing.
  package func exhaust(in limits: UseLimits, before oldest: Timestamp, at now: Timestamp) {
    limits.quotas.exhaust(self, before: oldest, at: now)
  }

  /// Counts a use found in the log.
  package func restore(in limits: UseLimits, uid: UInt32, key: KeyID?, at time: Timestamp) {
    limits.quotas.restore(self, uid: uid, key: key, at: time)
  }
}

/// A reading of a clock that never runs backwards, in nanoseconds from an arbitrary start.
package struct MonotonicTime: Hashable, Comparable, Sendable {
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static func < (a: MonotonicTime, b: MonotonicTime) -> Bool {
    a.nanoseconds < b.nanoseconds
  }
}
