import Format
import TestSupport
import Testing

@testable import Policy

@Suite struct CoveringRulesTests {
  /// A decision must be what reading the rules one after the other says.
  @Test func agreesWithTheRulesReadInOrder() throws {
    var random = SplitMix64(seed: 2026)
    var allowed = 0
    var denied = 0
    for _ in 0..<60 {
      let policy = try Policy(
        (0..<Int.random(in: 1...40, using: &random)).map { try randomRule($0, &random) })
      for _ in 0..<200 {
        let (caller, opcode, label) = randomRequest(&random)
        let expected = policy.rules.first {
          $0.missing(caller, opcode, label: label, at: friday).isEmpty
        }
        switch policy.outcome(caller, opcode, label) {
        case .allowed(let id):
          #expect(id == expected?.id)
          allowed += 1
        case .denied(let denial):
          #expect(expected == nil)
          #expect(
            denial == .noGrant
              || denial == .unknownKey && opcode.keyUse == .required && label == nil)
          denied += 1
        }
      }
    }
    // The generator must not make it easy.
    #expect(allowed > 1000)
    #expect(denied > 1000)
  }

  /// A covering is found once, and must say at every time what reading the rules says.
  @Test func coveringRulesAgreeAtEveryTime() throws {
    var random = SplitMix64(seed: 2027)
    let times = [0, 1, 7, 24, 100].map { friday.adding(seconds: $0 * 3600) }
    let hours = try [
      #require(WeeklyHours("fri 08:00-10:00")), #require(WeeklyHours("sat-sun 00:00-24:00")),
    ]
    let validities = [
      .always, Validity(from: times[1]), Validity(until: times[2]),
      Validity(from: times[1], until: times[3]), Validity(hours: [hours[0]]),
      Validity(hours: hours),
    ]
    var seen: [String?: Int] = [:]
    for _ in 0..<60 {
      let policy = try Policy(
        (0..<Int.random(in: 1...40, using: &random)).map { try randomRule($0, &random, validities) }
      )
      for _ in 0..<100 {
        let (caller, opcode, label) = randomRequest(&random)
        let covering = policy.covering(caller, opcode, key: key(label))
        for time in times {
          let expected = policy.rules.first {
            $0.missing(caller, opcode, label: label, at: time).isEmpty
          }
          var allowed: String?
          if case .allowed(let id) = Outcome(
            covering.decide(at: Moment(time, epoch), limits: UseLimits()))
          {
            allowed = id
          }
          #expect(allowed == expected?.id)
          #expect(
            Outcome(covering.decide(at: Moment(time, epoch), limits: UseLimits()))
              == policy.outcome(caller, opcode, label, at: time))
          seen[allowed, default: 0] += 1
        }
      }
    }
    #expect(seen.count > 20 && seen[nil] ?? 0 > 1000)
  }

  /// A refusal must not tell which keys there are.
  @Test func anAbsentKeyIsRefusedLikeAForbiddenOne() throws {
    let policy = try Policy([
      rule(keys: ["merchant/acme/*", "a/b/c/d/*", "one"]), rule("all", users: [7], keys: ["*"]),
    ])
    for user in [caller(), caller(7)] {
      let covering = policy.covering(user, .openPaymentToken, key: .absent)
      #expect(
        Outcome(covering.decide(at: Moment(friday, epoch), limits: UseLimits()))
          == .denied(.unknownKey))
    }
    for label in [
      "x", "merchant/zeta", "merchant/zeta/processing-2026", "a/b/c/x/y/z",
      String(repeating: "a/", count: 63) + "a",
    ] {
      #expect(policy.outcome(caller(), .openPaymentToken, label) == .denied(.noGrant))
    }
  }

  @Test func theLastOfTenThousandIsFound() throws {
    let policy = try Policy(manyRules(10_000))
    let label = "merchant/m9999/processing"
    #expect(
      policy.outcome(
        caller(1, unit: "u9999.service", executable: "/usr/bin/e9999"), .openPaymentToken, label)
        == .allowed("g9999"))
    #expect(
      policy.outcome(
        caller(1, unit: "u9998.service", executable: "/usr/bin/e9999"), .openPaymentToken, label)
        == .denied(.noGrant))
    #expect(
      policy.outcome(caller(1_009_996), .openPaymentToken, "merchant/m9996/processing")
        == .allowed("g9996"))
  }

  /// Rules of four shapes, in turn.
  private func manyRules(_ count: Int) throws -> [Rule] {
    try (0..<count).map { n in
      let keys = ["merchant/m\(n)/*"]
      switch n % 4 {
      case 0: return try rule("g\(n)", users: [1_000_000 + UInt32(n)], keys: keys)
      case 1: return try rule("g\(n)", users: [], groups: [2001 + UInt32(n % 2)], keys: keys)
      case 2: return try rule("g\(n)", users: [1_000_000 + UInt32(n)], groups: [2002], keys: keys)
      default:
        return try rule(
          "g\(n)", users: [], groups: [100], units: ["u\(n).service"],
          executables: ["/usr/bin/e\(n)"], keys: keys)
      }
    }
  }

  private let labels = ["a", "a/b", "a/b/c", "a/c", "b", "b/c"]
  private let operations: [Opcode] = [.openPaymentToken, .verifyPaymentToken, .listKeys, .random]

  private func randomRule(
    _ number: Int, _ random: inout SplitMix64, _ validities: [Validity] = [.always]
  ) throws -> Rule {
    func some<T>(_ values: [T]) -> [T] {
      values.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    }
    let users = some([0, 1, 2, 3] as [UInt32])
    let callers = (
      groups: some([10, 11, 12] as [UInt32]), units: some(["u", "v"]),
      executables: some(["/x", "/y"])
    )
    let nobody = users.isEmpty && callers.groups.isEmpty
    let chosen = some(operations)
    return try rule(
      "g\(number)", users: nobody ? [1] : users, groups: callers.groups, units: callers.units,
      executables: callers.executables,
      operations: Set(chosen + [.openPaymentToken]),
      keys: some(labels + ["*", "a/*", "a/b/*", "b/*"]) + ["b/d"],
      validity: validities[Int.random(in: 0..<validities.count, using: &random)])
  }

  private func randomRequest(_ random: inout SplitMix64) -> (Caller, Opcode, String?) {
    func one<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
    let visitor = caller(
      one([0, 1, 2, 3]), gid: one([10, 11, 99]), groups: one([[], [12], [11, 12, 98]]),
      unit: one([nil, "u", "v"]), executable: one([nil, "/x", "/y"]))
    return (visitor, one(operations), one(labels + [nil]))
  }
}
