import Format
import Policy
import TestSupport
import Testing

@Suite struct ValidityTests {
  private func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

  @Test(arguments: [
    "00:00-24:00", "22:00-24:00", "mon 08:00-18:00", "mon-fri 08:00-18:00", "sat-sun 00:00-00:01",
  ]) func hoursTaken(_ text: String) {
    #expect(WeeklyHours(text)?.description == text)
  }

  @Test(arguments: [
    "", " ", "mon", "8:00-18:00", "08:00", "08:00-08:00", "18:00-08:00", "08:00-24:01",
    "08:60-09:00", "fri-mon 08:00-18:00", "Mon 08:00-18:00",
    "mon  08:00-18:00",
    "mon-tue-wed 08:00-18:00", "monday 08:00-18:00", "mon 08:00-18:00 UTC", "mon,tue 08:00-18:00",
    "-fri 08:00-18:00", "０8:00-18:00", "08:00-18:00-",
  ])
  func hoursRefused(_ text: String) { #expect(WeeklyHours(text) == nil) }

  @Test(arguments: [
    ("mon-fri 08:00-18:00", "2026-11-20T08:00:00Z", true),
    ("mon-fri 08:00-18:00", "2026-11-20T07:59:59.999999Z", false),
    ("mon-fri 08:00-18:00", "2026-11-20T17:59:59.999999Z", true),
    ("mon-fri 08:00-18:00", "2026-11-20T18:00:00Z", false),
    ("mon-fri 08:00-18:00", "2026-11-21T09:00:00Z", false),
    ("sat 00:00-24:00", "2026-11-21T23:59:59Z", true),
    ("sat 00:00-24:00", "2026-11-22T00:00:00Z", false),
    ("22:00-24:00", "2026-11-22T22:00:00Z", true),
    ("thu 00:00-00:01", "1970-01-01T00:00:00Z", true),
  ])
  func hoursOfTheWeek(_ hours: String, _ time: String, _ isIn: Bool) throws {
    #expect(try #require(WeeklyHours(hours)).contains(try moment(time)) == isIn)
  }

  @Test func bothEnds() throws {
    let from = try moment("2026-12-01T00:00:00Z")
    let until = try moment("2027-01-01T00:00:00Z")
    let validity = Validity(from: from, until: until)
    #expect(validity.contains(from))
    #expect(!validity.contains(Timestamp(microseconds: from.microseconds - 1)))
    #expect(validity.contains(Timestamp(microseconds: until.microseconds - 1)))
    #expect(!validity.contains(until))
    #expect(validity.description == "from 2026-12-01T00:00:00Z, until 2027-01-01T00:00:00Z")
    #expect(throws: RuleFlaw.neverInForce) { try rule(validity: Validity(from: from, until: from)) }
  }

  @Test func aGrantOutOfForceDoesNotStandBeforeALaterOne() throws {
    let hours = [try #require(WeeklyHours("mon-fri 08:00-18:00"))]
    let policy = try Policy([
      rule("day", validity: Validity(hours: hours)),
      rule("gone", validity: Validity(until: friday)), rule("night"), rule("never"),
    ])
    func outcome(_ time: String) throws -> Outcome {
      policy.outcome(caller(), .openPaymentToken, "merchant/acme/x", at: try moment(time))
    }
    #expect(try outcome("2026-11-20T09:30:00Z") == .allowed("day"))
    #expect(try outcome("2026-11-19T19:00:00Z") == .allowed("gone"))
    #expect(try outcome("2026-11-20T19:00:00Z") == .allowed("night"))
    let limited = try Policy([rule(validity: Validity(from: friday))])
    #expect(
      limited.outcome(caller(), .openPaymentToken, "merchant/acme/x", at: friday)
        == .allowed("acme"))
    #expect(
      limited.outcome(
        caller(), .openPaymentToken, "merchant/acme/x", at: friday.adding(seconds: -1))
        == .denied(.noGrant))
  }

  @Test func theIndexAgreesWithTheRulesInOrder() throws {
    var random = SplitMix64(seed: 6)
    let hours = ["mon-fri 08:00-18:00", "sat 00:00-24:00", "22:00-24:00", "00:00-06:00"].compactMap(
      WeeklyHours.init)
    for _ in 0..<40 {
      let rules = try (0..<12).map { number in
        let start = friday.adding(seconds: Int64.random(in: -20...20, using: &random) * 86_400)
        let validity = [
          Validity.always, Validity(from: start), Validity(until: start),
          Validity(from: start, hours: [hours[number % hours.count]]),
        ]
        return try rule(
          "g\(number)", users: [UInt32(number % 3 + 1)],
          validity: validity[Int.random(in: 0..<4, using: &random)])
      }
      let policy = try Policy(rules)
      for _ in 0..<60 {
        let time = friday.adding(seconds: Int64.random(in: -2_000_000...2_000_000, using: &random))
        let visitor = caller(UInt32.random(in: 1...4, using: &random))
        let expected = rules.first {
          $0.missing(visitor, .openPaymentToken, label: "merchant/acme/x", at: time).isEmpty
        }
        #expect(
          policy.outcome(visitor, .openPaymentToken, "merchant/acme/x", at: time) == expected.map {
            .allowed($0.id)
          } ?? .denied(.noGrant))
      }
    }
  }
}
