import Audit
import Crypto
import Format
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// When and how often a grant may be used, from the request to the next start of the daemon.
@Suite struct GrantLimitTests {
  private func grant(rate: String? = nil, quota: String? = nil, validity: Validity = .always) throws
    -> Rule
  {
    try Rule(
      id: "describers", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.describe], rate: rate.flatMap(Rate.init),
      quota: quota.flatMap(Quota.init), validity: validity)
  }

  @Test func aGrantIsInForceWhileItSays() throws {
    let clock = TestClock()
    let end = TestService.start.adding(seconds: 60)
    let test = try TestService(grants: [grant(validity: Validity(until: end))], clock: clock)
    try test.unlock()
    #expect(try test.status(.describe) == .ok)
    clock.now = end
    #expect(try test.status(.describe) == .denied)
  }

  @Test func aQuotaOutlivesARestart() throws {
    let clock = TestClock()
    let test = try TestService(grants: [grant(quota: "3/d")], clock: clock)
    try test.unlock()
    for _ in 0..<2 { #expect(try test.status(.describe) == .ok) }
    // Killed: what was not made durable is gone, and the counts were never on the disk.
    let again = try TestService(
      on: test.disk.afterCrash(.losesUnsynced), grants: [grant(quota: "3/d")], clock: clock)
    try again.unlock()
    #expect(try again.status(.describe) == .ok)
    #expect(try again.status(.describe) == .busy)
    clock.now = clock.now.adding(seconds: 86_400)
    #expect(try again.status(.describe) == .ok)
  }

  @Test func aRecordOfAClockThatWasAheadCountsAtTheNextStart() throws {
    let clock = TestClock()
    let test = try TestService(grants: [grant(quota: "2/d")], clock: clock)
    clock.now = TestService.start.adding(seconds: 400 * 86_400)
    try test.unlock()
    #expect(try test.status(.describe) == .ok)
    clock.now = TestService.start
    let again = try TestService(
      on: test.disk.afterCrash(.losesUnsynced), grants: [grant(quota: "2/d")], clock: clock)
    try again.unlock()
    #expect(try again.status(.describe) == .ok)
    #expect(try again.status(.describe) == .busy)
    clock.now = clock.now.adding(seconds: 86_400)
    #expect(try again.status(.describe) == .ok)
  }

  /// Each day's clock, and how often the grant serves then: in all never more than five on one day
  /// of the records.
  static let settings: [(days: [Int64], served: [Int])] = [
    ([1, 0, 1], [5, 0, 0]), ([2, 0, 2], [5, 0, 0]), ([0, 1, 0], [5, 5, 0]),
    ([0, 1, 0, 1], [5, 5, 0, 0]), ([0, 5, 0, 5], [5, 5, 0, 0]),
    ([0, 1, 2], [5, 5, 5]),
  ]

  /// How the daemon ends before the clock is set: not at all, or each time, or the second time in
  /// an orderly way.
  enum Ending: CaseIterable, Sendable { case none, kill, stop, killThenStop }

  @Test(
    "a quota is not given back when the clock is set to and fro, whether or not the daemon is restarted",
    arguments: settings, Ending.allCases)
  func aClockSetToAndFro(_ row: (days: [Int64], served: [Int]), _ ending: Ending) throws {
    let clock = TestClock()
    var test = try TestService(grants: [grant(quota: "5/d")], clock: clock)
    try test.unlock()
    for (place, (day, served)) in zip(row.days, row.served).enumerated() {
      clock.now = TestService.start.adding(seconds: day * 86_400)
      if ending != .none {
        if ending == .stop || ending == .killThenStop && place == 2 { #expect(test.service.stop()) }
        test = try TestService(
          on: test.disk.afterCrash(.losesUnsynced), grants: [grant(quota: "5/d")], clock: clock)
        try test.unlock()
      }
      #expect(try (0..<8).count { _ in try test.status(.describe) == .ok } == served, "day \(day)")
    }
    let days = try test.records().filter { $0.opcode == .describe && $0.status == .ok }.map {
      $0.time.seconds / 86_400
    }
    for day in Set(days) { #expect(days.count { $0 == day } <= 5) }
  }

  @Test(
    "a start that read nothing of earlier days gives nothing of theirs, should the clock be set back"
  ) func aDayThatWasNotRead() throws {
    let clock = TestClock()
    let test = try TestService(grants: [grant(quota: "5/d")], clock: clock, segmentSize: 4096)
    try test.unlock()
    for _ in 0..<5 { #expect(try test.status(.describe) == .ok) }
    clock.now = TestService.start.adding(seconds: 86_400)
    while try segments(test).count < 4 { #expect(try test.status(.random) == .denied) }
    // Killed, and no file tells of the day before.
    let again = try TestService(
      on: test.disk.afterCrash(.losesUnsynced), grants: [grant(quota: "5/d")], clock: clock)
    try again.unlock()
    #expect(try again.status(.describe) == .ok)
    clock.now = TestService.start
    #expect(try again.status(.describe) == .busy)
    #expect(again.service.stop())
    let third = try TestService(
      on: again.disk.afterCrash(.losesUnsynced), grants: [grant(quota: "5/d")], clock: clock)
    try third.unlock()
    #expect(try third.status(.describe) == .busy)
  }

  @Test func aQuotaIsNotCountedTwiceWhenTheStoreIsLockedAndUnlocked() throws {
    let lockers = try Rule(
      id: "lockers", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.lock])
    let test = try TestService(grants: [grant(quota: "3/d"), lockers])
    try test.unlock()
    #expect(try test.status(.describe) == .ok)
    #expect(try test.status(.lock, on: .operators) == .ok)
    try test.unlock()
    for _ in 0..<2 { #expect(try test.status(.describe) == .ok) }
    #expect(try test.status(.describe) == .busy)
  }

  @Test func aQuotaThatIsNewCountsWhatWasUsedBefore() throws {
    let test = try TestService(grants: [grant()])
    try test.unlock()
    for _ in 0..<2 { #expect(try test.status(.describe) == .ok) }
    let next = try Policy([grant(quota: "3/d")])
    try test.service.reload(
      Rules(next, freshness: MerchantWindows(general: 300), configurationHash: SHA256.hash([])))
    #expect(try test.status(.describe) == .ok)
    #expect(try test.status(.describe) == .busy)
  }

  /// A restart fills the bucket: the rate bounds what comes at once, the quota what comes in all.
  @Test func aRateBeginsAnewAtARestart() throws {
    let test = try TestService(grants: [grant(rate: "1/h")])
    try test.unlock()
    #expect(try test.status(.describe) == .ok)
    #expect(try test.status(.describe) == .busy)
    let again = try TestService(
      on: test.disk.afterCrash(.losesUnsynced), grants: [grant(rate: "1/h")], clock: test.clock)
    try again.unlock()
    #expect(try again.status(.describe) == .ok)
  }

  /// The first segments removed, compressed, or compressed in the middle: what they counted is not
  /// known any more.
  @Test(arguments: ["removed", "compressed", "gap"], ["5/w", "5/d"])
  func aQuotaIsUsedUpWhereRecordsOfItsPeriodAreMissing(_ how: String, _ quota: String) throws {
    let clock = TestClock()
    let test = try TestService(grants: [grant(quota: quota)], clock: clock, segmentSize: 4096)
    try test.unlock()
    for _ in 0..<5 { #expect(try test.status(.describe) == .ok) }
    while try segments(test).count < 3 { #expect(try test.status(.describe) == .busy) }
    #expect(test.service.stop())
    test.disk.unplant("/state/audit.recollection")
    let names = try segments(test)
    let name = how == "gap" ? names[1] : names[0]
    test.disk.unplant("/audit/" + name)
    if how == "compressed" { test.disk.plant("/audit/" + name + ".zst", [0]) }
    let again = try TestService(
      on: test.disk.afterCrash(.keepsUnsynced), grants: [grant(quota: quota)], clock: clock)
    try again.unlock()
    #expect(try again.status(.describe) == .busy)
    let unread = try #require(try again.records().last { $0.operation == "records-unread" })
    #expect(unread.event.map(\.name) == ["oldest", "since"])
    clock.now = clock.now.adding(seconds: 7 * 86_400)
    #expect(try again.status(.describe) == .ok)
  }

  @Test func aLogThatIsNewMissesNothing() throws {
    let test = try TestService(grants: [grant(quota: "5/w")])
    try test.unlock()
    for _ in 0..<4 { #expect(try test.status(.describe) == .ok) }
    let again = try TestService(
      on: test.disk.afterCrash(.losesUnsynced), grants: [grant(quota: "5/w")], clock: test.clock)
    try again.unlock()
    #expect(try again.status(.describe) == .ok)
    #expect(try again.status(.describe) == .busy)
    #expect(try !again.operations().contains("records-unread"))
  }

  /// What was written before the period is not needed for it.
  @Test func aQuotaOfANewPeriodMissesNothing() throws {
    let clock = TestClock()
    let test = try TestService(grants: [grant(quota: "5/d")], clock: clock, segmentSize: 4096)
    try test.unlock()
    while try segments(test).count < 2 { _ = try test.status(.describe) }
    clock.now = clock.now.adding(seconds: 86_400)
    while try segments(test).count < 4 { _ = try test.status(.describe) }
    #expect(test.service.stop())
    test.disk.unplant("/audit/" + (try segments(test)[0]))
    clock.now = clock.now.adding(seconds: 86_400)
    let again = try TestService(
      on: test.disk.afterCrash(.keepsUnsynced), grants: [grant(quota: "5/d")], clock: clock)
    try again.unlock()
    #expect(try again.status(.describe) == .ok)
    #expect(try !again.operations().contains("records-unread"))
  }

  /// A clock that is ahead at the start, and set right after it: the quota of the real week is
  /// known.
  @Test func aClockThatIsAheadAtTheStartGivesNothingBack() throws {
    let clock = TestClock()
    let test = try TestService(grants: [grant(quota: "2/w")], clock: clock)
    try test.unlock()
    for _ in 0..<2 { #expect(try test.status(.describe) == .ok) }
    clock.now = TestService.start.adding(seconds: 400 * 86_400)
    let again = try TestService(
      on: test.disk.afterCrash(.losesUnsynced), grants: [grant(quota: "2/w")], clock: clock)
    try again.unlock()
    clock.now = TestService.start.adding(seconds: 60)
    #expect(try again.status(.describe) == .busy)
  }

  private func segments(_ test: TestService) throws -> [String] {
    try test.disk.list("/audit").filter { $0.hasSuffix(".log") }.sorted()
  }

  @Test func aUsedUpQuotaIsOnTheRecordWithItsGrant() throws {
    let test = try TestService(grants: [grant(quota: "1/d")])
    try test.unlock()
    for _ in 0..<2 { _ = try test.status(.describe) }
    let last = try #require(try test.lastRecord())
    #expect(last.policy?.denial == "quota")
    #expect(last.policy?.grant == "describers")
    #expect(last.result == "denied")
  }
}
