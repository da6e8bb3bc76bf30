import Audit
import Crypto
import Format
import Host
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// New rules beside a key store that is being opened or closed: whatever is in force is on the
/// record, and its quotas are counted.
@Suite struct ReloadTests {
  private static func rules(quota: String?) throws -> Rules {
    let caller = CallerRule(users: [Principal(id: TestService.caller.uid)])
    return try TestService.rules([
      Rule(
        id: "describers", callers: caller, operations: [.describe], quota: quota.flatMap(Quota.init)
      ),
      Rule(id: "lockers", callers: caller, operations: [.lock]),
    ])
  }

  private static func service(
    on disk: SimulatedDisk? = nil, adjust: (inout ServiceSettings) -> Void = { _ in }
  ) throws -> TestService {
    try TestService(on: disk, grants: rules(quota: nil).policy.rules, adjust: adjust)
  }

  /// The policy that the records say is in force at their end.
  private func recordedPolicy(_ test: TestService) throws -> String? {
    try test.records().compactMap {
      $0.operation == "start"
        ? $0.eventText("policy") : $0.operation == "policy-swap" ? $0.eventText("to") : nil
    }.last
  }

  @Test(
    "a reload while the log is read for an unlocking is on the record, and a new quota counts what was used before"
  )
  func whileUnlocking() throws {
    let before = try Self.service()
    try before.unlock()
    for _ in 0..<2 { #expect(try before.status(.describe) == .ok) }
    let next = try Self.rules(quota: "3/d")
    let unlocking = Locked<Service?>(nil)
    let isOver = Locked(false)
    let ended = Handover<ReloadError?>()
    let test = try Self.service(on: before.disk.afterCrash(.losesUnsynced)) { settings in
      settings.isReading = {
        // Once, at the first record that is read back.
        guard let service = unlocking.withLock({ $0.take() }) else { return }
        let isBegun = Thread.start {
          var refusal: ReloadError?
          do throws(ReloadError) { try service.reload(next) } catch { refusal = error }
          isOver.withLock { $0 = true }
          ended.give(refusal)
        }
        #expect(isBegun)
        // Time enough to get ahead of this unlocking, for a reload that does not wait for it.
        for _ in 0..<100_000 where !isOver.withLock({ $0 }) { service.touchLocks() }
      }
    }
    unlocking.withLock { $0 = test.service }
    try test.unlock()
    #expect(ended.take() == nil)
    #expect(try recordedPolicy(test) == next.policyHash.hex)
    #expect(try test.status(.describe) == .ok)
    #expect(try test.status(.describe) == .busy)
  }

  @Test("a reload whose quotas cannot be counted changes nothing, and no record says that it did")
  func unreadableLog() throws {
    let test = try Self.service { $0.audit.segmentLimit = 4096 }
    try test.unlock()
    try fill(3, test)
    let first = "/audit/" + (try #require(test.disk.list("/audit").first { $0.hasSuffix(".log") }))
    let text = String(decoding: try #require(test.disk.contents(first)), as: UTF8.self)
    test.disk.plant(first, Array(text.replacing("describers", with: "describerz").utf8))
    #expect(throws: ReloadError.self) { try test.service.reload(Self.rules(quota: "3/d")) }
    test.disk.plant(first, Array(text.utf8))
    #expect(try recordedPolicy(test) == Self.rules(quota: nil).policyHash.hex)
    for _ in 0..<4 { #expect(try test.status(.describe) == .ok) }
  }

  @Test(
    "a reload is refused whose new quota would be used up for want of records, and says until when")
  func missingRecords() throws {
    let test = try Self.service { $0.audit.segmentLimit = 4096 }
    try test.unlock()
    try fill(4, test)
    for name in try test.disk.list("/audit").filter({ $0.hasSuffix(".log") }).sorted().prefix(2) {
      test.disk.unplant("/audit/" + name)
    }
    test.clock.now = test.clock.now.adding(seconds: 1)
    let today = Timestamp(seconds: test.clock.now.seconds / 86_400 * 86_400)
    let refusal = ReloadError.quotaUnknown(
      grant: "describers", until: today.adding(seconds: 86_400))
    #expect(throws: refusal) { try test.service.reload(Self.rules(quota: "3000/d")) }
    #expect(try recordedPolicy(test) == nil)
    #expect(try test.status(.describe) == .ok)
    // The next period begins with all its records.
    test.clock.now = today.adding(seconds: 86_400)
    #expect(try test.status(.describe) == .ok)
    try test.service.reload(Self.rules(quota: "2/d"))
    #expect(try test.status(.describe) == .ok)
    #expect(try test.status(.describe) == .busy)
    try test.service.reload(Self.rules(quota: "3/d"))
    #expect(try test.status(.describe) == .ok)
    #expect(try test.status(.describe) == .busy)
  }

  @Test(
    "a quota of which nothing is left since a start can be changed: nothing new would be used up")
  func alreadyUnknown() throws {
    let before = try Self.service { $0.audit.segmentLimit = 4096 }
    try before.unlock()
    try fill(3, before)
    let first = try #require(before.disk.list("/audit").filter { $0.hasSuffix(".log") }.min())
    before.disk.unplant("/audit/" + first)
    before.clock.now = before.clock.now.adding(seconds: 1)
    let test = try TestService(
      on: before.disk.afterCrash(.losesUnsynced), grants: Self.rules(quota: "3000/d").policy.rules,
      clock: before.clock)
    try test.unlock()
    #expect(try test.status(.describe) == .busy)
    try test.service.reload(Self.rules(quota: "4000/d"))
    #expect(try test.status(.describe) == .busy)
    #expect(throws: ReloadError.self) { try test.service.reload(Self.rules(quota: "4000/w")) }
  }

  @Test(
    "a reload while the store is locked is what the next start records, and a new quota counts what was used before"
  )
  func whileLocked() throws {
    let test = try Self.service()
    try test.unlock()
    for _ in 0..<2 { #expect(try test.status(.describe) == .ok) }
    #expect(try test.status(.lock, on: .operators) == .ok)
    let next = try Self.rules(quota: "3/d")
    try test.service.reload(next)
    try test.unlock()
    #expect(try recordedPolicy(test) == next.policyHash.hex)
    #expect(try test.status(.describe) == .ok)
    #expect(try test.status(.describe) == .busy)
  }

  /// Makes records until the log has so many segments.
  private func fill(_ segments: Int, _ test: TestService) throws {
    while try test.disk.list("/audit").count(where: { $0.hasSuffix(".log") }) < segments {
      #expect(try test.status(.describe) == .ok)
    }
  }
}
