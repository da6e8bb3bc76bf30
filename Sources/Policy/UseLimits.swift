package import Encoding
package import Wire

/// What is used up of the grants' rates and quotas, shared by every policy that is in force one after the other.
package struct UseLimits: Sendable {
  let rates: RateLimiter
  let quotas: QuotaCounter

  package init(rates: RateLimiter = RateLimiter(), quotas: QuotaCounter = QuotaCounter()) {
    (self.rates, self.quotas) = (rates, quotas)
  }

  /// What the rule refuses this use for, or nil where it has now been counted.
  ///
  /// A use that the quota refuses has cost a token of the rate.
  func take(_ rule: Rule, uid: UInt32, key: KeyID?, at moment: Moment) -> Denial? {
    if let rate = rule.rate, !rates.take(grant: rule.id, uid: uid, rate: rate, now: moment.monotonic) { return .rate(grant: rule.id) }
    return quotas.take(rule, uid: uid, key: key, at: moment.time) ? nil : .quota(grant: rule.id)
  }

  /// What the quotas have counted, to be restored after a restart.
  package var quotaEntries: [QuotaCounter.Entry] { quotas.entries }
  package func restoreQuotas(_ entries: [QuotaCounter.Entry]) { quotas.restore(entries) }

  /// Takes over the quotas' uses of which another has counted more; rates begin with a full bucket anyhow.
  package func raiseQuotas(to counted: UseLimits) { quotas.raise(to: counted.quotas) }
}

/// One moment as the two clocks show it.
package struct Moment: Sendable {
  /// The wall clock: dates, hours and quotas.
  package let time: Timestamp
  /// What rates count by.
  package let monotonic: MonotonicTime

  package init(_ time: Timestamp, _ monotonic: MonotonicTime) { (self.time, self.monotonic) = (time, monotonic) }
}

extension Policy {
  /// The rules with a quota, by id.
  package var quotas: [String: Rule] {
    Dictionary(rules.filter { $0.quota != nil || $0.keyQuota != nil }.map { ($0.id, $0) }) { first, _ in first }
  }
}

extension Rule {
  /// Those of its quotas.
  package var periods: [Quota.Period] { [quota, keyQuota].compactMap { $0?.period } }

  /// From when on this rule's uses count for a quota at `now`; nil where it has none.
  package func quotaStart(at now: Timestamp) -> Timestamp? {
    periods.map { $0.start(of: now) }.min()
  }

  /// Counts its quotas as used up in the periods at `now` that began before `oldest`: records of them are missing.
  package func exhaust(in limits: UseLimits, before oldest: Timestamp, at now: Timestamp) { limits.quotas.exhaust(self, before: oldest, at: now) }

  /// Counts a use that is on the record.
  package func restore(in limits: UseLimits, uid: UInt32, key: KeyID?, at time: Timestamp) {
    limits.quotas.restore(self, uid: uid, key: key, at: time)
  }
}
