import Format
import KeyStore
import KistClient
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// What `status` says besides the state.
@Suite struct StatusReportTests {
  @Test(
    "[OP-STATUS-4] the log's free space is there while locked, too; the end of the first key in use only while it is open"
  )
  func freeSpaceAndNextEnd() throws {
    let test = try TestService()
    let locked = try report(test)
    #expect(locked.auditFree > 0 && locked.nextKeyEnd == 0 && locked.auditCondition.isEmpty)
    try test.unlock()
    #expect(try report(test).nextKeyEnd == 0)
    let end = UInt64(TestService.start.seconds) + 90 * 86_400
    for (label, later) in [("merchant/late", UInt64(86_400)), ("merchant/first", 0)] {
      _ = try test.generateKey(label) { $0.notAfter = end + later }
    }
    _ = try test.generateKey("merchant/endless")
    #expect(try report(test).nextKeyEnd == end)
    #expect(try test.status(.lock, on: .operators) == .ok)
    #expect(try report(test).nextKeyEnd == 0)
  }

  @Test(
    "[OP-STATUS-6] [KS-ROOM] how full the key store is, before it takes no more keys; one that is full opens again"
  )
  func storeFill() throws {
    let limit = 100 << 10
    let test = try TestService(
      manifestLimit: limit, adjust: { $0.configuration.destroyedRetention = .seconds(60) })
    #expect(try report(test).storeFill == 0)
    try test.unlock()
    var (made, last): ([KeyID], UInt32) = ([], try report(test).storeFill)
    func make(_ number: Int) throws -> (header: ReplyHeader, body: [UInt8]) {
      let request = GenerateKeyRequest(label: "merchant/\(number)", role: "mac-cmac")
      return try test.call(
        .generateKey, body: written(atMost: 256) { try request.encode(into: &$0) }, on: .operators)
    }
    while made.count < 50, case let reply = try make(made.count), reply.header.status == .ok {
      let body = reply.body.span
      let bytes = try KeyDescription(MessageReader(body)).id
      let id = KeyID(prefixOf: bytes.span)
      made.append(try #require(id))
      let fill = try report(test).storeFill
      #expect(fill >= last)
      last = fill
    }
    #expect((75...100).contains(last) && made.count > 3 && made.count < 50)
    let refused = try make(99)
    #expect(refused.header.status == .rejected)
    let body = refused.body.span
    #expect(try Rejection(MessageReader(body)).stage == .keyImport)
    let again = try TestService(
      on: test.disk.afterCrash(.losesUnsynced), manifestLimit: limit,
      adjust: { $0.configuration.destroyedRetention = .seconds(60) })
    try again.unlock()
    // A destroyed key makes room, and leaves the store once the log has it.
    for step in [Opcode.retireKey, .destroyKey] {
      #expect(try again.call(step, key: made[0], on: .operators).header.status == .ok)
    }
    again.clock.step(seconds: 61)
    for step in [Opcode.retireKey, .destroyKey] {
      #expect(try again.call(step, key: made[1], on: .operators).header.status == .ok)
    }
    try again.reopenedStore { store in
      #expect(
        store.record(for: made[0]) == nil && store.wasDestroyed(made[0])
          && store.record(for: made[1])?.state == .destroyed)
    }
  }

  @Test("[OP-STATUS-3] as many grants as fit are named, and the report still fits its reply")
  func manyUnmatchedGrants() throws {
    let grants = try (10..<90).map { number in
      try Rule(
        id: "unit-\(number)-" + String(repeating: "x", count: 55),
        callers: CallerRule(users: [Principal(id: 7)], units: ["shop.service"]),
        operations: [.random])
    }
    let test = try TestService(
      grants: [try TestService.everything()] + grants, adjust: { $0.tellsProcesses = false })
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
