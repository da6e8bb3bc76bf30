import Audit
import Crypto
import Dispatch
import Format
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// [OP-OPEN-11] A request that is sent again after a lost reply.
@Suite struct RetryTests {
  private let scene: TokenScene
  private let start = TestService.start
  private static let file = "/state/audit.recollection"
  private static let key = [UInt8](repeating: 7, count: 16)
  private static let other = Caller(uid: 1001, gid: 1001, pid: 9)

  init() throws { scene = try TokenScene() }

  private static func grant(_ id: String = "openers", rate: String? = nil, quota: String? = nil)
    throws -> Rule
  {
    try Rule(
      id: id,
      callers: CallerRule(users: [Principal(id: TestService.caller.uid), Principal(id: other.uid)]),
      operations: [.openPaymentToken],
      keys: [KeyPattern("merchant/*")].compactMap { $0 },
      released: ReleasedFields([.last4, .amount]), showsStage: true, rate: rate.flatMap(Rate.init),
      quota: quota.flatMap(Quota.init))
  }

  private func service(
    on disk: SimulatedDisk? = nil, _ grant: Rule? = nil, window: UInt32 = 120,
    segmentSize: Int = 1 << 20
  ) throws -> TestService {
    let service = try scene.service(
      on: disk, grants: [try grant ?? Self.grant()], retryWindow: window, segmentSize: segmentSize)
    try service.unlock()
    return service
  }

  private func request(_ key: [UInt8] = key) throws -> [UInt8] {
    try scene.request(signedAt: start, retryKey: key)
  }

  private func expect(
    _ outcome: String, of request: [UInt8], _ service: TestService,
    at place: SourceLocation = #_sourceLocation
  ) throws {
    let found = try scene.open(request, service)
    #expect(found == outcome, sourceLocation: place)
  }

  /// The records of openings that were answered `ok`.
  private func openings(_ service: TestService) throws -> [Record] {
    try service.records().filter { $0.opcode == .openPaymentToken && $0.status == .ok }
  }

  @Test(
    "[OP-OPEN-11] the same request opens again, with the same answer, and its record names the first"
  ) func again() throws {
    let service = try service()
    let request = try request()
    let first = try scene.reply(to: request, service)
    scene.clock.now = start.adding(seconds: 120)
    let second = try scene.reply(to: request, service)
    #expect(
      first.header.status == .ok && second.header.status == .ok && first.body == second.body
        && !first.body.isEmpty)
    let records = try openings(service)
    try #require(records.count == 2)
    #expect(records[0].inputs.retry != nil && records[0].inputs.retryOf == nil)
    #expect(
      records[1].inputs.retry == nil && records[1].inputs.retryOf == records[0].sequence
        && records[1].sequence == second.header.auditSequence)
    #expect(records[0].inputs.transaction == records[1].inputs.transaction)
    let log = try service.disk.list("/audit").map {
      String(decoding: service.disk.contents("/audit/" + $0) ?? [], as: UTF8.self)
    }.joined()
    #expect(!log.contains(Hex.encode(Self.key)))
  }

  @Test(
    "[OP-OPEN-11] another request, retry key, user or grant, no retry key, or a switched off window: a replay"
  ) func anythingElse() throws {
    let token = try scene.mint(signedAt: start)
    let first = try scene.request(token, retryKey: Self.key)
    let service = try service()
    try expect("ok", of: first, service)
    for request in [
      try scene.request(token, retryKey: [UInt8](repeating: 8, count: 16)),
      try scene.request(token),
      try scene.request(token, release: ReleasedFields([.last4]), retryKey: Self.key),
      try scene.request(token, amount: 1499, retryKey: Self.key),
    ] {
      try expect("replay", of: request, service)
    }
    let theirs = try service.call(
      .openPaymentToken, key: scene.key(), body: first, from: Self.other)
    #expect(
      try theirs.header.status == .rejected
        && Rejection(MessageReader(theirs.body.span)).stage == .replay)
    try expect("ok", of: first, service)
    try service.service.reload(TestService.rules([Self.grant("others")]))
    try expect("replay", of: first, service)
    try service.service.reload(TestService.rules([Self.grant()]))
    try expect("ok", of: first, service)
    try service.service.reload(TestService.rules([Self.grant()], retryWindow: 0))
    try expect("replay", of: first, service)
    #expect(
      try service.lastRecord()?.inputs.retry == nil && service.lastRecord()?.inputs.retryOf == nil)
  }

  @Test(
    "[OP-OPEN-11] a request without a retry key is a replay, though its last bytes look like one")
  func imitation() throws {
    // A merchant chooses its application data, and a transaction id ends like this once in 65,536.
    let data = [UInt8](repeating: 1, count: 14) + [7 << 3 | 2, 16] + Self.key
    let token = try scene.mint(signedAt: start, applicationData: Digest256(data))
    let request = try scene.request(token)
    #expect(request.suffix(18) == data.suffix(18))
    let service = try service()
    try expect("ok", of: request, service)
    try expect("replay", of: request, service)
    #expect(try openings(service).map(\.inputs.retry) == [nil])
    try expect("replay", of: request, self.service(on: service.disk.afterCrash(.losesUnsynced)))
  }

  @Test("[OP-OPEN-11] with a window of 0 nothing is remembered") func switchedOff() throws {
    let service = try service(window: 0)
    let request = try request()
    try expect("ok", of: request, service)
    try expect("replay", of: request, service)
    #expect(try openings(service).allSatisfy { $0.inputs.retry == nil })
  }

  @Test(
    "[OP-OPEN-11] the window is counted from the first opening, either way",
    arguments: [-121, -120, 120, 121] as [Int64], [false, true])
  func window(_ seconds: Int64, restarts: Bool) throws {
    var service = try service()
    let request = try request()
    try expect("ok", of: request, service)
    scene.clock.now = start.adding(seconds: seconds / 2)
    try expect("ok", of: request, service)
    scene.clock.now = start.adding(seconds: seconds)
    if restarts { service = try self.service(on: service.disk.afterCrash(.losesUnsynced)) }
    try expect(abs(seconds) <= 120 ? "ok" : "replay", of: request, service)
  }

  @Test(
    "[OP-OPEN-12] a token that was fresh when it was first opened opens again when it no longer is")
  func stale() throws {
    var service = try service()
    let request = try request()
    scene.clock.now = start.adding(seconds: 300)
    try expect("ok", of: request, service)
    scene.clock.now = start.adding(seconds: 420)
    try expect("ok", of: request, service)
    service = try self.service(on: service.disk.afterCrash(.losesUnsynced))
    try expect("ok", of: request, service)
    scene.clock.now = start.adding(seconds: 421)
    try expect("signing-time", of: request, service)
  }

  @Test(
    "[OP-OPEN-11] after a kill or a stop, with and without the recollection, every opening can be repeated"
  ) func restarts() throws {
    for (stops, isForgotten) in [(true, false), (true, true), (false, false)] {
      let first = try service()
      let request = try request()
      try expect("ok", of: request, first)
      if stops { #expect(first.service.stop()) }
      let disk = first.disk.afterCrash(.losesUnsynced)
      if isForgotten { disk.unplant(Self.file) }
      let again = try service(on: disk)
      try expect("ok", of: request, again)
      let records = try openings(again)
      #expect(records.count == 2 && records[1].inputs.retryOf == records[0].sequence)
      // What was repeated counts from the first opening still.
      let third = try service(on: again.disk.afterCrash(.losesUnsynced))
      try expect("ok", of: request, third)
      #expect(try openings(third).last?.inputs.retryOf == records[0].sequence)
      try expect("replay", of: Array(request.dropLast(18)), third)
    }
  }

  @Test(
    "[KS-RECOLLECTION] what was written down needs no older record, and without either it is refused"
  ) func segmentGone() throws {
    let first = try service(segmentSize: 4096)
    let request = try request()
    try expect("ok", of: request, first)
    while try segments(first).count < 3 {
      _ = try scene.open(scene.request(signedAt: start), first)
    }
    #expect(first.service.stop())
    for isForgotten in [false, true] {
      let disk = first.disk.afterCrash(.losesUnsynced)
      disk.unplant("/audit/" + (try segments(first)[0]))
      if isForgotten { disk.unplant(Self.file) }
      try expect(
        isForgotten ? "signing-time" : "ok", of: request, service(on: disk, segmentSize: 4096))
    }
  }

  private func segments(_ service: TestService) throws -> [String] {
    try service.disk.list("/audit").filter { $0.hasSuffix(".log") }.sorted()
  }

  @Test("[OP-OPEN-12] the rate counts a repetition, the quota does not, before and after a restart")
  func limits() throws {
    let limited = try Self.grant(rate: "3/s", quota: "2/d")
    var service = try service(limited)
    let requests = try (0..<3).map { _ in try request() }
    try expect("ok", of: requests[0], service)
    try expect("ok", of: requests[0], service)
    try expect("ok", of: requests[1], service)
    // The rate is used up; a second later the quota is.
    try expect("busy", of: requests[1], service)
    #expect(try service.lastRecord()?.policy?.denial == "rate")
    scene.clock.now = start.adding(seconds: 2)
    try expect("busy", of: requests[2], service)
    #expect(try service.lastRecord()?.policy?.denial == "quota")
    // A used-up quota refuses no repetition: the payment would be lost.
    try expect("ok", of: requests[1], service)
    service = try self.service(
      on: service.disk.afterCrash(.losesUnsynced), Self.grant(quota: "3/d"))
    try expect("ok", of: requests[2], service)
    try expect("busy", of: request(), service)
  }

  @Test("[OP-OPEN-12] a repetition is no use of the key, before and after a restart") func uses()
    throws
  {
    func uses(_ service: TestService) throws -> UInt64 {
      let description = try service.call(.describeKey, key: scene.key())
      return try KeyDescription(MessageReader(description.body.span)).uses
    }
    let everything = try TestService.everything([.openPaymentToken, .describeKey])
    let first = try service(everything)
    let request = try request()
    for _ in 0..<3 { try expect("ok", of: request, first) }
    #expect(try uses(first) == 1)
    #expect(try uses(service(on: first.disk.afterCrash(.losesUnsynced), everything)) == 1)
  }

  @Test(
    "[OP-OPEN-12] policy decides anew: a grant that was withdrawn refuses, and a field that is no longer granted stays inside"
  ) func policyOfNow() throws {
    let service = try service()
    let token = try scene.mint(signedAt: start)
    let request = try scene.request(token, required: ReleasedFields([.last4]), retryKey: Self.key)
    try expect("ok", of: request, service)
    try service.service.reload(
      TestService.rules([try TestService.everything([.random, .describeKey])]))
    try expect("denied", of: request, service)
    let narrow = try Rule(
      id: "openers", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.openPaymentToken],
      keys: [KeyPattern("merchant/*")].compactMap { $0 }, released: ReleasedFields([.amount]),
      showsStage: true)
    try service.service.reload(TestService.rules([narrow]))
    try expect("not-released", of: request, service)
    #expect(try service.lastRecord()?.inputs.retryOf != nil)
    // A repetition that was refused gives nothing back.
    try expect("replay", of: scene.request(token), service)
    try service.service.reload(TestService.rules([Self.grant()]))
    try expect("ok", of: request, service)
  }

  // MARK: two at once

  /// A connection on which the request was served, so often, and nothing is committed.
  private func inHand(_ request: [UInt8], times: Int = 1, _ service: TestService) throws
    -> RequestBatch
  {
    var exchange = try service.service.exchange(with: TestService.caller, on: .services)
    let frame = TestService.frame(.openPaymentToken, key: try scene.key(), body: request)
    for _ in 0..<times { try exchange.serve(frame.span) }
    return exchange
  }

  @Test(
    "[OP-OPEN-13] two in one batch: one opens, the other is busy, and may be repeated afterwards")
  func inOneBatch() throws {
    let service = try service()
    let request = try request()
    _ = try inHand(request, times: 3, service).replies()
    #expect(try service.records().suffix(3).map(\.status) == [.ok, .busy, .busy])
    try expect("ok", of: request, service)
    #expect(try openings(service).count { $0.inputs.retryOf == nil } == 1)
  }

  @Test(
    "[OP-OPEN-13] two on two connections: until the first one's record is durable, the other is busy"
  ) func onTwoConnections() throws {
    let service = try service()
    let request = try request()
    let exchange = try inHand(request, service)
    try expect("busy", of: request, service)
    #expect(try TestService.reply(exchange.replies()).header.status == .ok)
    try expect("ok", of: request, service)
    #expect(try openings(service).count { $0.inputs.retryOf == nil } == 1)
  }

  @Test(
    "[OP-OPEN-13] many at once: one opens first, and everyone else is busy or a repetition of it")
  func manyAtOnce() throws {
    let service = try service()
    let request = try request()
    let all = Locked<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let found = (0..<20).map { _ in (try? scene.open(request, service)) ?? "thrown" }
      all.withLock { $0 += found }
    }
    let outcomes = all.withLock { $0 }
    #expect(Set(outcomes).isSubset(of: ["ok", "busy"]) && outcomes.contains("ok"))
    let records = try openings(service)
    #expect(records.count == outcomes.count { $0 == "ok" })
    let first = try #require(records.first)
    #expect(
      first.inputs.retryOf == nil
        && records.dropFirst().allSatisfy { $0.inputs.retryOf == first.sequence })
  }

  // MARK: what never opened

  @Test(
    "[OP-OPEN-13] an opening that fails is none: the same request fails again, and another may open the token"
  ) func failedFirst() throws {
    let service = try service()
    let token = try scene.mint(signedAt: start)
    let wrong = try scene.request(token, amount: 1, retryKey: Self.key)
    try expect("expectation", of: wrong, service)
    try expect("expectation", of: wrong, service)
    try expect("ok", of: scene.request(token, retryKey: Self.key), service)
    #expect(try openings(service).map(\.inputs.retryOf) == [nil])
  }

  @Test(
    "[OP-OPEN-13] a disk that is full when the record is due: the token counts as unopened for whoever has a retry key"
  ) func fullDisk() throws {
    let service = try service(segmentSize: 1 << 16)
    service.disk.fill(to: service.disk.usedBytes)
    var last = try request()
    for _ in 0..<500 {
      last = try request()
      guard try scene.open(last, service) == "ok" else { break }
    }
    try expect("audit-unavailable", of: last, service)
    service.disk.fill(to: nil)
    try expect("ok", of: last, service)
    #expect(try openings(service).last?.inputs.retryOf == nil)
    try expect("ok", of: last, service)
  }

  @Test(
    "[OP-OPEN-13] what was in hand when the recollection was written, and has no record, opens after a crash"
  ) func inHandAtSnapshot() throws {
    let service = try service()
    let request = try request()
    let exchange = try inHand(request, service)
    #expect(service.service.stop())
    #expect(try TestService.reply(exchange.replies()).header.status != .ok)
    let again = try self.service(on: service.disk.afterCrash(.losesUnsynced))
    try expect("ok", of: request, again)
    #expect(try openings(again).map(\.inputs.retryOf) == [nil])
  }

  @Test(
    "[WIRE-23] a field that this daemon does not know: malformed, nothing is opened, and without it the request is carried out"
  )
  func laterField() throws {
    let service = try service()
    let request = try request()
    let reply = try scene.reply(to: request + [8 << 3, 1], service)
    #expect(reply.header.status == .malformed)
    #expect(try Malformation(MessageReader(reply.body.span)).why.contains("8"))
    try expect("ok", of: request, service)
    #expect(try openings(service).map(\.inputs.retryOf) == [nil])
  }
}
