import Audit
import Format
import Host
import Operations
import Policy
import ServiceHarness
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite struct RefusedConnectionsTests {
  private let due = Due()
  private let test: TestService

  /// What is to be done a second later.
  private final class Due: Sendable {
    let actions = Mutex<[@Sendable () -> Void]>([])

    func run() {
      let taken = actions.withLock { actions in
        defer { actions = [] }
        return actions
      }
      for action in taken { action() }
    }
  }

  init() throws {
    let due = due
    test = try TestService(adjust: {
      $0.after = { _, action in due.actions.withLock { $0.append(action) } }
    })
  }

  private func refuse(_ times: Int, of uid: UInt32?) {
    for _ in 0..<times {
      test.service.refuseConnection(of: uid, on: .services, .full)
      test.clock.now = test.clock.now.adding(seconds: 1)
    }
  }

  private func counts() throws -> [Int64] {
    try test.records().filter { $0.operation == "connections-refused" }.map { record in
      guard case .integer(let count)? = record.event.first(where: { $0.name == "count" })?.value
      else { return -1 }
      return count
    }
  }

  @Test(
    "a flood leaves one record for each user and second, with first and last time, and none is unaccounted"
  )
  func counted() throws {
    try test.unlock()
    refuse(1000, of: 1001)
    refuse(2, of: 1002)
    #expect(due.actions.withLock { $0.count } == 1)
    due.run()
    #expect(try counts() == [1000, 2])
    let record = try #require(try test.records().first { $0.operation == "connections-refused" })
    let members = record.event.map(\.name)
    #expect(members == ["count", "first", "last", "reason", "socket", "uid"])
    due.run()
    refuse(1, of: 1001)
    due.run()
    #expect(try counts() == [1000, 2, 1])
  }

  @Test("beyond 64 users the rest are counted together") func manyUsers() throws {
    try test.unlock()
    for uid in 1...100 as ClosedRange<UInt32> { refuse(1, of: uid) }
    due.run()
    let counts = try counts()
    #expect(counts.reduce(0, +) == 100 && counts.count == 65)
  }

  @Test(
    "what the daemon stops before is on the record, too, and what came while it was locked in the record of the unlocking"
  )
  func endAndLock() throws {
    refuse(3, of: 1001)
    due.run()
    try test.unlock()
    let unlocking = try #require(try test.lastRecord())
    #expect(unlocking.event.contains { $0.name == "refused" && $0.value == .integer(3) })
    refuse(2, of: nil)
    #expect(test.service.stop())
    #expect(try counts() == [2])
  }
}
