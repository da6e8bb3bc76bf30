import Encoding
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing
import Wire

/// What `status` says besides the state.
@Suite struct StatusReportTests {
  @Test("[OP-STATUS-4] the log's free space is there while locked, too; the end of the first key in use only while it is open")
  func freeSpaceAndNextEnd() throws {
    let test = try TestService()
    let locked = try report(test)
    #expect(locked.auditFree > 0 && locked.nextKeyEnd == 0 && locked.auditCondition.isEmpty)
    try test.unlock()
    #expect(try report(test).nextKeyEnd == 0)
    let end = UInt64(TestService.start.seconds) + 90 * 86_400
    for (label, later) in [("service/late", UInt64(86_400)), ("service/first", 0)] {
      _ = try test.generateKey(label) { $0.notAfter = end + later }
    }
    _ = try test.generateKey("service/endless")
    #expect(try report(test).nextKeyEnd == end)
    #expect(try test.status(.lock, on: .operators) == .ok)
    #expect(try report(test).nextKeyEnd == 0)
  }

  @Test("[OP-STATUS-3] as many grants as fit are named, and the report still fits its reply") func manyUnmatchedGrants() throws {
    let grants = try (10..<90).map { number in
      try Rule(
        id: "unit-\(number)-" + String(repeating: "x", count: 55), callers: CallerRule(users: [Principal(id: 7)], units: ["shop.service"]),
        operations: [.random])
    }
    let test = try TestService(grants: [try TestService.everything()] + grants, adjust: { $0.tellsProcesses = false })
    try test.unlock()
    let named = try report(test).unmatchedGrants.split(separator: " ")
    #expect(named.count == 16 && named.first?.hasPrefix("unit-10-") == true)
  }

  private func report(_ test: TestService) throws -> StatusReport {
    let reply = try test.call(.status, on: .operators)
    try #require(reply.header.status == .ok)
    return try StatusReport(MessageReader(reply.body.span))
  }
}
