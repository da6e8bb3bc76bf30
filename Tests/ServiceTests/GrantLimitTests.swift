import Audit
import CryptoBackend
import Encoding
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing
import Wire

/// When and how often a grant may be used, from the request to the next start of the daemon.
@Suite struct GrantLimitTests {
  private func grant(rate: String? = nil, quota: String? = nil, validity: Validity = .always) throws -> Rule {
    try Rule(
      id: "describers", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]), operations: [.describe], rate: rate.flatMap(Rate.init),
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
    let again = try TestService(on: test.disk.afterCrash(.losesUnsynced), grants: [grant(quota: "3/d")], clock: clock)
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
    let again = try TestService(on: test.disk.afterCrash(.losesUnsynced), grants: [grant(quota: "2/d")], clock: clock)
    try again.unlock()
    #expect(try again.status(.describe) == .ok)
    #expect(try again.status(.describe) == .busy)
    clock.now = clock.now.adding(seconds: 86_400)
    #expect(try again.status(.describe) == .ok)
  }

  @Test func aQuotaIsNotCountedTwiceWhenTheStoreIsLockedAndUnlocked() throws {
    let lockers = try Rule(id: "lockers", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]), operations: [.lock])
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
    try test.service.reload(Rules(next, freshness: FreshnessWindows(general: 300), configurationHash: SHA256.hash([])))
    #expect(try test.status(.describe) == .ok)
    #expect(try test.status(.describe) == .busy)
  }

  /// A restart fills the bucket: the rate bounds what comes at once, the quota what comes in all.
  @Test func aRateBeginsAnewAtARestart() throws {
    let test = try TestService(grants: [grant(rate: "1/h")])
    try test.unlock()
    #expect(try test.status(.describe) == .ok)
    #expect(try test.status(.describe) == .busy)
    let again = try TestService(on: test.disk.afterCrash(.losesUnsynced), grants: [grant(rate: "1/h")], clock: test.clock)
    try again.unlock()
    #expect(try again.status(.describe) == .ok)
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
