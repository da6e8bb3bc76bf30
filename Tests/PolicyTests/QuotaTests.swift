import Format
import Policy
import Testing

@Suite struct QuotaTests {
  @Test(arguments: ["1/d", "5000/d", "1000000000/w"]) func takes(_ text: String) {
    #expect(Quota(text)?.description == text)
  }

  @Test(arguments: [
    "", "/d", "0/d", "01/d", "-1/d", "+1/d", "1", "1/", "1/s", "1/day", "1/D", "1 /d",
    "1000000001/d", "99999999999999999999/d", "1/d/d", "１/d",
  ])
  func refuses(_ text: String) { #expect(Quota(text) == nil) }

  private let label = "merchant/acme/x"
  private func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

  private func use(_ policy: Policy, _ uid: UInt32 = 1001, at time: Timestamp, _ limits: UseLimits)
    -> Outcome
  {
    policy.outcome(caller(uid), .openPaymentToken, label, at: time, limits: limits)
  }

  @Test func aDayIsOneOfUTC() throws {
    let policy = try Policy([rule(quota: "2/d")])
    let limits = UseLimits()
    for _ in 0..<2 {
      #expect(use(policy, at: try moment("2026-11-20T23:59:59Z"), limits) == .allowed("acme"))
    }
    #expect(
      use(policy, at: try moment("2026-11-20T23:59:59Z"), limits) == .denied(.quota(grant: "acme")))
    #expect(use(policy, at: try moment("2026-11-21T00:00:00Z"), limits) == .allowed("acme"))
    // A clock that is set back gives nothing back, nor takes anything of the later day.
    for _ in 0..<2 {
      #expect(
        use(policy, at: try moment("2026-11-20T12:00:00Z"), limits)
          == .denied(.quota(grant: "acme")))
    }
    #expect(use(policy, at: try moment("2026-11-21T12:00:00Z"), limits) == .allowed("acme"))
    #expect(
      use(policy, at: try moment("2026-11-21T12:00:00Z"), limits) == .denied(.quota(grant: "acme")))
    // What was used on a later day counts on the one before it, too.
    #expect(use(policy, 1002, at: try moment("2026-11-21T12:00:00Z"), limits) == .denied(.noGrant))
    let other = UseLimits()
    #expect(use(policy, at: try moment("2026-11-21T12:00:00Z"), other) == .allowed("acme"))
    #expect(use(policy, at: try moment("2026-11-20T12:00:00Z"), other) == .allowed("acme"))
    #expect(
      use(policy, at: try moment("2026-11-20T12:00:00Z"), other) == .denied(.quota(grant: "acme")))
    #expect(use(policy, at: try moment("2026-11-21T12:00:00Z"), other) == .allowed("acme"))
    #expect(
      use(policy, at: try moment("2026-11-21T12:00:00Z"), other) == .denied(.quota(grant: "acme")))
  }

  @Test func aClockThatWasFarAheadDoesNotRefuseForAsLong() throws {
    let policy = try Policy([rule(quota: "2/d")])
    let limits = UseLimits()
    #expect(use(policy, at: try moment("2031-01-01T00:00:00Z"), limits) == .allowed("acme"))
    // What was used then counts now, and not tomorrow.
    #expect(use(policy, at: try moment("2026-11-20T12:00:00Z"), limits) == .allowed("acme"))
    #expect(
      use(policy, at: try moment("2026-11-20T12:00:00Z"), limits) == .denied(.quota(grant: "acme")))
    #expect(use(policy, at: try moment("2026-11-21T00:00:00Z"), limits) == .allowed("acme"))
    // Of the day far ahead one use is left when it comes.
    #expect(use(policy, at: try moment("2031-01-01T12:00:00Z"), limits) == .allowed("acme"))
    #expect(
      use(policy, at: try moment("2031-01-01T12:00:00Z"), limits) == .denied(.quota(grant: "acme")))
  }

  @Test(
    "records that are missing from days to come, the clock having been set back, are missed when these come; what is known of later ones stays"
  )
  func whatIsMissingIsStillToCome() throws {
    let policy = try Policy([rule(quota: "2/d")])
    let limits = UseLimits()
    try policy.rules[0].exhaust(
      in: limits, before: moment("2026-11-21T12:00:00Z"), at: moment("2026-11-19T12:00:00Z"))
    let known = UseLimits()
    try policy.rules[0].exhaust(
      in: known, before: moment("2026-11-20T00:00:00Z"), at: moment("2026-11-19T12:00:00Z"))
    limits.quotas.raise(to: known.quotas)
    for day in ["19", "20", "21"] {
      #expect(
        use(policy, at: try moment("2026-11-\(day)T23:00:00Z"), limits)
          == .denied(.quota(grant: "acme")))
    }
    #expect(use(policy, at: try moment("2026-11-22T00:00:00Z"), limits) == .allowed("acme"))
    // The day that begins then misses nothing.
    #expect(use(policy, at: try moment("2026-11-20T00:00:00Z"), known) == .allowed("acme"))
    #expect(
      use(policy, at: try moment("2026-11-19T23:00:00Z"), known) == .denied(.quota(grant: "acme")))
  }

  @Test func aDayFarAheadThatIsUsedUpRefusesOneDay() throws {
    let policy = try Policy([rule(quota: "2/d")])
    let limits = UseLimits()
    for _ in 0..<2 {
      #expect(use(policy, at: try moment("2031-01-01T00:00:00Z"), limits) == .allowed("acme"))
    }
    #expect(
      use(policy, at: try moment("2026-11-20T12:00:00Z"), limits) == .denied(.quota(grant: "acme")))
    let again = UseLimits()
    again.quotas.restore(limits.quotas.entries)
    for counter in [limits, again] {
      for _ in 0..<2 {
        #expect(use(policy, at: try moment("2026-11-21T00:00:00Z"), counter) == .allowed("acme"))
      }
      #expect(
        use(policy, at: try moment("2026-11-21T00:00:00Z"), counter)
          == .denied(.quota(grant: "acme")))
    }
  }

  @Test func whatIsGivenBackMayBeTakenAgainAndWhatIsNotKeptIsNotSaved() throws {
    let policy = try Policy([rule(quota: "1/d")])
    let limits = UseLimits()
    func take() throws -> [QuotaCounter.Use]? {
      switch policy.decide(
        caller(), .openPaymentToken, key: key(label), at: Moment(friday, epoch), limits: limits)
      {
      case .allow(let grant): grant.uses
      case .deny: nil
      }
    }
    let first = try #require(try take())
    #expect(try take() == nil && limits.quotas.entries.map(\.count) == [0])
    limits.quotas.giveBack(first)
    let second = try #require(try take())
    limits.quotas.keep(second)
    #expect(try take() == nil && limits.quotas.entries.map(\.count) == [1])
  }

  @Test func theWaitIsUntilThePeriodIsOver() throws {
    let policy = try Policy([rule(quota: "1/d", keyQuota: "1/w")])
    let limits = UseLimits()
    func wait(_ uid: UInt32 = 1001, at text: String) throws -> Int64? {
      policy.covering(caller(uid), .openPaymentToken, key: key(label)).wait(
        at: Moment(try moment(text), epoch), limits: limits)
    }
    #expect(try wait(at: "2026-11-20T23:59:59Z") == nil)
    #expect(use(policy, at: try moment("2026-11-20T23:59:59Z"), limits) == .allowed("acme"))
    // Of the day and the week, which both are used up, the one that ends later.
    #expect(try wait(at: "2026-11-20T23:59:59Z") == 172_801 * 1_000_000_000)
    #expect(try wait(at: "2026-11-22T23:59:59Z") == 1_000_000_000)
    #expect(try wait(at: "2026-11-23T00:00:00Z") == nil)
    // Records of the far future, which a clock that was ahead left behind, are missing.
    let far = UseLimits()
    try policy.rules[0].exhaust(
      in: far, before: moment("9999-12-31T12:00:00Z"), at: moment("9999-12-31T12:00:00Z"))
    let covering = policy.covering(caller(), .openPaymentToken, key: key(label))
    #expect(
      covering.wait(at: Moment(try moment("2026-11-20T12:00:00Z"), epoch), limits: far)
        == 1_000_000_000 << 32)
    // Nobody who is not covered has anything to wait for.
    #expect(try wait(7, at: "2026-11-20T23:59:59Z") == nil)
  }

  @Test func aWeekBeginsOnMonday() throws {
    let policy = try Policy([rule(quota: "1/w")])
    let limits = UseLimits()
    #expect(use(policy, at: try moment("2026-11-16T00:00:00Z"), limits) == .allowed("acme"))
    #expect(
      use(policy, at: try moment("2026-11-22T23:59:59Z"), limits) == .denied(.quota(grant: "acme")))
    #expect(use(policy, at: try moment("2026-11-23T00:00:00Z"), limits) == .allowed("acme"))
  }

  @Test func eachUserHasItsOwnAndAKeyIsSharedByAll() throws {
    let users = try Policy([rule(users: [1, 2], quota: "1/d")])
    let shared = try Policy([rule(users: [1, 2], keyQuota: "1/d")])
    var limits = UseLimits()
    #expect(use(users, 1, at: friday, limits) == .allowed("acme"))
    #expect(use(users, 1, at: friday, limits) == .denied(.quota(grant: "acme")))
    #expect(use(users, 2, at: friday, limits) == .allowed("acme"))
    limits = UseLimits()
    #expect(use(shared, 1, at: friday, limits) == .allowed("acme"))
    #expect(use(shared, 2, at: friday, limits) == .denied(.quota(grant: "acme")))
  }

  @Test func aRefusalOfOneQuotaTakesNothingOfTheOther() throws {
    let limits = UseLimits()
    let tight = try Policy([rule(quota: "9/d", keyQuota: "1/d")])
    #expect(use(tight, at: friday, limits) == .allowed("acme"))
    for _ in 0..<20 { #expect(use(tight, at: friday, limits) == .denied(.quota(grant: "acme"))) }
    // One of nine is used; a reload gives that back as little as it takes more.
    let wide = try Policy([rule(quota: "9/d")])
    for _ in 0..<8 { #expect(use(wide, at: friday, limits) == .allowed("acme")) }
    #expect(use(wide, at: friday, limits) == .denied(.quota(grant: "acme")))
  }

  @Test func aUsedUpQuotaDoesNotFallThrough() throws {
    let policy = try Policy([rule("few", quota: "1/d"), rule("many")])
    let limits = UseLimits()
    #expect(use(policy, at: friday, limits) == .allowed("few"))
    #expect(use(policy, at: friday, limits) == .denied(.quota(grant: "few")))
  }

  @Test func aFullTableRefusesUntilAPeriodIsOver() throws {
    let limits = UseLimits(quotas: QuotaCounter(capacity: 1))
    let policy = try Policy([rule(users: [1, 2], quota: "5/d")])
    #expect(use(policy, 1, at: friday, limits) == .allowed("acme"))
    #expect(use(policy, 2, at: friday, limits) == .denied(.quota(grant: "acme")))
    #expect(use(policy, 2, at: friday.adding(seconds: 86_400), limits) == .allowed("acme"))
  }

  @Test func whatTheLogHasMoreOfIsTakenOver() throws {
    let limited = try rule(quota: "3/d")
    let policy = try Policy([limited])
    let limits = UseLimits()
    let counted = UseLimits()
    #expect(use(policy, at: friday, limits) == .allowed("acme"))
    for _ in 0..<2 { limited.restore(in: counted, uid: 1001, key: nil, at: friday) }
    limits.quotas.raise(to: counted.quotas)
    limits.quotas.raise(to: counted.quotas)
    #expect(use(policy, at: friday, limits) == .allowed("acme"))
    #expect(use(policy, at: friday, limits) == .denied(.quota(grant: "acme")))
    #expect(limited.quotaStart(at: friday) == (try moment("2026-11-20T00:00:00Z")))
    #expect(try rule().quotaStart(at: friday) == nil)
  }

  @Test func aQuotaOfKeysNeedsKeys() throws {
    #expect(throws: RuleFlaw.keyQuotaUnused) {
      try rule(operations: [.random], keys: [], keyQuota: "1/d")
    }
  }
}
