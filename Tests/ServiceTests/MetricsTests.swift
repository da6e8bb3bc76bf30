import Audit
import Format
import Foundation
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// What `metrics` says that requests came to.
@Suite struct MetricsTests {
  private static let stranger = Caller(uid: 2000, gid: 2000, pid: 2)
  private static let limited = Caller(uid: 3000, gid: 3000, pid: 3)

  private func metrics(_ test: TestService) throws -> Exposition {
    let reply = try test.call(.metrics, on: .operators)
    try #require(reply.header.status == .ok && reply.header.auditSequence == ReplyHeader.unaudited)
    return try Exposition(reply.body)
  }

  private static func rule(
    _ id: String, _ caller: Caller, _ operations: Set<Opcode>, rate: String? = nil,
    quota: String? = nil
  ) throws -> Rule {
    try Rule(
      id: id, callers: CallerRule(users: [Principal(id: caller.uid)]), operations: operations,
      rate: rate.flatMap(Rate.init),
      quota: quota.flatMap(Quota.init))
  }

  @Test(
    "[OP-METRICS-1] each answer is counted, whatever it is, and only once; what leaves no record, too"
  ) func answers() throws {
    let grants = [
      try TestService.everything(), try Self.rule("rated", Self.limited, [.random], rate: "1/h"),
      try Self.rule("few", Self.limited, [.describe], quota: "1/d"),
    ]
    let test = try TestService(grants: grants)
    #expect(try test.status(.random, body: [8, 8]) == .locked)
    try test.unlock()
    for _ in 0..<5 { #expect(try test.status(.random, body: [8, 8]) == .ok) }
    for _ in 0..<3 {
      #expect(try test.status(.random, body: [8, 8], from: Self.stranger) == .denied)
    }
    #expect(try test.status(.random, body: [9]) == .malformed)
    #expect(try test.status(.lock, from: TestService.caller) == .denied, "on the services' socket")
    #expect(try test.call(.mac, key: KeyID(high: 1, low: 2)).header.status == .denied)
    for _ in 0..<2 { _ = try test.status(.random, body: [8, 8], from: Self.limited) }
    for _ in 0..<4 { _ = try test.status(.describe, from: Self.limited) }
    for _ in 0..<6 { #expect(try test.status(.ping) == .ok) }

    let found = try metrics(test)
    let expected: [String: UInt64] = [
      "random,status=locked": 1, "random,status=ok": 6, "random,status=denied": 3,
      "random,status=malformed": 1, "random,status=busy": 1,
      "lock,status=denied": 1, "mac,status=denied": 1, "describe,status=ok": 1,
      "describe,status=busy": 3, "ping,status=ok": 6,
    ]
    let counted = found.values(of: "kist_requests_total").filter { $0.value > 0 }
    #expect(
      counted
        == Dictionary(
          uniqueKeysWithValues: expected.map {
            ("kist_requests_total{operation=\($0.key)}", $0.value)
          }))
    let denied = found.values(of: "kist_denials_total").filter { $0.value > 0 }
    let reasons: [String: UInt64] = [
      "grant=,reason=no-grant": 3, "grant=,reason=wrong-socket": 1, "grant=,reason=unknown-key": 1,
      "grant=rated,reason=rate": 1, "grant=few,reason=quota": 3,
    ]
    #expect(
      denied
        == Dictionary(
          uniqueKeysWithValues: reasons.map { ("kist_denials_total{\($0.key)}", $0.value) }))
    #expect(
      try found.count("kist_busy_total{cause=rate}") == 1
        && found.count("kist_busy_total{cause=quota}") == 3)
    #expect(
      try found.count("kist_batch_requests_count") == 24
        && found.count("kist_batch_requests_bucket{le=1}") == 24)
    for (operation, count) in ["random": 12, "ping": 6, "describe": 4] as [String: UInt64] {
      #expect(try found.count("kist_answer_seconds_count{operation=\(operation)}") == count)
    }
    // The scrapes of before are counted in the next.
    #expect(try metrics(test).count("kist_requests_total{operation=metrics,status=ok}") == 1)
  }

  @Test(
    "a rejection is counted by its operation and the check that failed, whether or not the caller is told; what no record holds is none"
  )
  func rejections() throws {
    let scene = try TokenScene()
    let start = TestService.start
    let rule = try Rule(
      id: "shop", callers: CallerRule(users: [Principal(id: 1000)]),
      operations: [.openPaymentToken], keys: [KeyPattern("merchant/*")].compactMap { $0 })
    let test = try scene.service(grants: [
      rule, TestService.everything([.metrics, .verifyPaymentToken]),
    ])
    try test.unlock()
    let token = try scene.request(signedAt: start)
    #expect(try scene.reply(to: token, test).header.status == .ok)
    for _ in 0..<3 {
      let again = try scene.reply(to: token, test)
      #expect(again.header.status == .rejected && again.body.isEmpty)
    }
    let old = try scene.request(signedAt: start.adding(seconds: -3600))
    #expect(try scene.reply(to: old, test).header.status == .rejected)
    let counted =
      [
        "kist_rejections_total{operation=open-payment-token,stage=replay}": 3,
        "kist_rejections_total{operation=open-payment-token,stage=signing-time}": 1,
      ] as [String: UInt64]
    #expect(try metrics(test).values(of: "kist_rejections_total") == counted)
    // Answered otherwise.
    test.disk.fail(call: test.disk.changingCalls, .notDone, errno: 5)
    #expect(try scene.reply(to: token, test).header.status == .auditUnavailable)
    #expect(try metrics(test).values(of: "kist_rejections_total") == counted)
  }

  @Test(
    "[OP-METRICS-1] it answers while locked, leaves no record, and locking changes no count; a new process begins at zero"
  ) func states() throws {
    let test = try TestService()
    #expect(try metrics(test).values(of: "kist_requests_total").isEmpty)
    try test.unlock()
    let before = try test.operations()
    #expect(try test.status(.random, body: [8, 8]) == .ok)
    for _ in 0..<3 { _ = try metrics(test) }
    #expect(try test.operations() == before + ["random"])
    #expect(try test.status(.lock, on: .operators) == .ok)
    let locked = try metrics(test)
    #expect(try locked.count("kist_requests_total{operation=random,status=ok}") == 1)
    // Both requests and the log's stop, whose records nobody waited for together.
    #expect(try locked.count("kist_commit_records_count") >= 2)
    let again = try TestService(on: test.disk.afterCrash(.losesUnsynced))
    try again.unlock()
    #expect(try metrics(again).samples["kist_requests_total{operation=random,status=ok}"] == nil)
  }

  @Test("who has no grant for it learns nothing; one for status is not enough") func guarded()
    throws
  {
    let test = try TestService(grants: [Self.rule("seer", TestService.caller, [.status])])
    try test.unlock()
    #expect(try test.status(.status, on: .operators) == .ok)
    let refused = try test.call(.metrics, on: .operators)
    #expect(refused.header.status == .denied && refused.body.isEmpty)
    #expect(try test.status(.metrics) == .denied, "on the services' socket")
    let open = try TestService()
    #expect(try open.status(.metrics, body: [0], on: .operators) == .malformed)
  }

  @Test("what a failed log refuses is counted as it was answered") func failedLog() throws {
    let test = try TestService()
    try test.unlock()
    test.disk.fail(call: test.disk.changingCalls, .notDone, errno: 5)
    #expect(try test.status(.random, body: [8, 8]) == .auditUnavailable)
    let found = try metrics(test)
    #expect(try found.count("kist_requests_total{operation=random,status=audit-unavailable}") == 1)
    #expect(try found.count("kist_requests_total{operation=random,status=ok}") == 0)
  }

  @Test(
    "[OP-METRICS-3] the times of a batch are those between its steps; of its answers, from when it was read to when its records are durable"
  )
  func times() throws {
    let test = try TestService()
    try test.unlock()
    let counts = test.service.makeCounts(for: 1000)
    let arrived = test.clock.sinceStart * 1000
    var exchange = try test.service.exchange(
      with: TestService.caller, on: .services, counts: counts, arrived: arrived - 500_000_000)
    exchange.begin(at: arrived + 2_000_000)
    let frame = TestService.frame(.random, body: [8, 8])
    let ping = TestService.frame(.ping)
    for (bytes, end) in [(frame, 2_030_000), (frame, 2_600_000), (ping, 2_600_001)]
      as [([UInt8], Int64)]
    {
      try exchange.serve(bytes.span)
      exchange.noteServed(at: arrived + end)
    }
    test.clock.now = test.clock.now.adding(seconds: 2)
    _ = exchange.replies()
    let found = try metrics(test)
    #expect(found["kist_queue_seconds_sum"] == "0.002")
    #expect(
      found["kist_answer_seconds_sum{operation=random}"] == "5"
        && found["kist_answer_seconds_sum{operation=ping}"] == "2.5")
    #expect(try found.count("kist_answer_seconds_bucket{operation=random,le=1}") == 0)
    #expect(try found.count("kist_answer_seconds_bucket{operation=random,le=5}") == 2)
    // That of the metrics is not counted yet.
    #expect(found["kist_compute_seconds_sum{class=general}"] == "0.000600001")
    #expect(try found.count("kist_compute_seconds_bucket{class=general,le=0.00001}") == 1)
    #expect(try found.count("kist_compute_seconds_bucket{class=general,le=0.00005}") == 2)
    #expect(try found.count("kist_compute_seconds_count{class=general}") == 3)
    #expect(found["kist_commit_seconds_sum"] == "1.997399999")
    #expect(
      try found.count("kist_commit_seconds_bucket{le=1}") == 0
        && found.count("kist_commit_seconds_bucket{le=5}") == 1)
    #expect(found["kist_batch_requests_sum"] == "3")
  }

  @Test("a batch is in flight from when it was read until its replies can leave") func inFlight()
    throws
  {
    let test = try TestService()
    try test.unlock()
    // The one that asks is.
    #expect(try metrics(test).count("kist_batches_in_flight") == 1)
    let counts = test.service.makeCounts(for: 1000)
    var exchange = try test.service.exchange(
      with: TestService.caller, on: .services, counts: counts)
    #expect(try metrics(test).count("kist_batches_in_flight") == 2)
    let frame = TestService.frame(.random, body: [8, 8])
    try exchange.serve(frame.span)
    #expect(try metrics(test).count("kist_batches_in_flight") == 2)
    _ = exchange.replies()
    #expect(try metrics(test).count("kist_batches_in_flight") == 1)
  }

  @Test(
    "what is limited stands beside its limit: handles of one connection, and tokens that the guard remembers"
  ) func limits() throws {
    let test = try TestService()
    let locked = try metrics(test)
    #expect(
      locked["kist_replay_entries{guard=tokens}"] == nil
        && locked["kist_connection_handles_limit"] == "16")
    try test.unlock()
    let open = try metrics(test)
    #expect(
      open["kist_replay_entries{guard=tokens}"] == "0"
        && open["kist_replay_entries{guard=envelopes}"] == "0")
    let scene = try TokenScene()
    let tokens = try scene.service(grants: [TestService.everything([.openPaymentToken, .metrics])])
    try tokens.unlock()
    for _ in 0..<3 {
      #expect(
        try scene.reply(to: scene.request(signedAt: TestService.start), tokens).header.status == .ok
      )
    }
    let found = try metrics(tokens)
    #expect(try found.count("kist_replay_entries{guard=tokens}") == 3)
    #expect(
      try found.count("kist_replay_entries_limit{guard=tokens}")
        == found.count("kist_replay_entries_limit{guard=envelopes}"))
    #expect(try found.count("kist_replay_entries_limit{guard=tokens}") > 3)
    #expect(found["kist_handles"] == "0" && found["kist_connection_handles_most"] == "0")
  }

  @Test("connections are counted for each user while they last, and what they counted for ever")
  func connections() throws {
    let test = try TestService()
    try test.unlock()
    let open = [1000, 1000, 2000].map { test.service.makeCounts(for: $0) }
    for counts in open {
      var exchange = try test.service.exchange(
        with: TestService.caller, on: .services, counts: counts)
      let frame = TestService.frame(.ping)
      try exchange.serve(frame.span)
      _ = exchange.replies()
    }
    #expect(
      try metrics(test).values(of: "kist_user_connections") == [
        "kist_user_connections{uid=1000}": 2, "kist_user_connections{uid=2000}": 1,
      ])
    for counts in open { test.service.endCounts(counts) }
    test.service.endCounts(open[0])
    let ended = try metrics(test)
    #expect(ended.values(of: "kist_user_connections").isEmpty)
    #expect(try ended.count("kist_requests_total{operation=ping,status=ok}") == 3)
    for _ in 0..<2 { test.service.refuseConnection(of: 1, on: .services, .full) }
    test.service.refuseConnection(of: 1, on: .services, .unidentified)
    #expect(try metrics(test).count("kist_busy_total{cause=connections}") == 2)
  }

  @Test(
    "[OP-METRICS-2] however many grants, users, operations and unknown numbers there are, the series are bounded and fit the reply"
  ) func bounded() throws {
    let long = String(repeating: "g", count: 58)
    let grants = try (0..<1000).map {
      try Self.rule("\(long)\($0)", Self.limited, [.describe], rate: "1/h", quota: "1/d")
    }
    let test = try TestService(grants: [TestService.everything()] + grants)
    try test.unlock()
    _ = (0..<1000).map { test.service.makeCounts(for: UInt32.max - $0) }
    let own = test.service.tallies.own
    for number in 0..<1000 { own.note(Denial.rate(grant: "\(long)\(number)")) }
    let empty: [UInt8] = []
    for number in 0..<0x0200 as Range<UInt16> {
      for socket in [SocketKind.services, .operators]
      where ![Opcode.lock.rawValue, Opcode.unlock.rawValue].contains(number) {
        var exchange = try test.service.exchange(with: Self.stranger, on: socket)
        try exchange.serve(RequestHeader(opcode: number, requestID: 1, key: .none), empty.span)
        _ = exchange.replies()
      }
    }
    let rejected = Opcode.allCases.flatMap { opcode in Stage.allCases.map { (opcode, $0) } }
    for (opcode, stage) in rejected {
      var replies = try ReplyBuffer()
      try replies.append(
        to: RequestHeader(opcode: opcode.rawValue, requestID: 1, key: .none), .unaudited, bodyCap: 0
      ) { _ in
        ReplyBuffer.Ending(.rejected(stage), showsStage: false)
      }
      let entries = replies.entries
      own.change { $0.note(entries, BatchWatch.Times(queued: 0, committed: nil, all: 0)) }
    }
    let found = try metrics(test)
    #expect(
      found.values(of: "kist_rejections_total").count == Service.rejectionSeries
        && rejected.count > Service.rejectionSeries)
    #expect(found.values(of: "kist_user_connections").count == Service.userSeries + 1)
    #expect(
      try found.count("kist_user_connections{uid=other}") == UInt64(1000 - Service.userSeries))
    let denials = found.values(of: "kist_denials_total")
    #expect(denials.count == Denial.reasons.count + Service.grantSeries)
    #expect(denials.filter { $0.key.hasSuffix("reason=rate}") }.values.reduce(0, +) == 1000)
    #expect(
      found.values(of: "kist_requests_total").count <= (Opcode.allCases.count + 1)
        * Status.allCases.count)
    #expect(
      try found.count("kist_requests_total{operation=unknown,status=unsupported}")
        == UInt64(2 * (0x0200 - Opcode.allCases.count)))
    #expect(found.samples.count < 1200 + Service.rejectionSeries + 19 * (Opcode.allCases.count + 1))
    let reply = try test.call(.metrics, on: .operators)
    let figures = try MetricsReply(MessageReader(reply.body.span))
    #expect(reply.body.count <= figures.room && figures.room <= 256 << 10)
  }

  @Test("a service without sockets and fleet says all but what those have") func complete() throws {
    let test = try TestService()
    try test.unlock()
    let counts = test.service.makeCounts(for: 1)
    _ = try test.call(.metrics, on: .operators)
    let body = try test.call(.metrics, on: .operators).body
    let figures = try MetricsReply(MessageReader(body.span)).figures
    let ofSockets: Set<Metric> = [
      .socketConnections, .socketConnectionsLimit, .stacks, .stacksLimit, .processorTime,
    ]
    let ofFleets: Set<Metric> = [
      .fleetInfo, .claimsAway, .claimsUnanswered, .claimsRefused, .localOpenings,
      .duplicateOpenings, .claimTimes,
    ]
    // Those of rejections are there once there was one, and those of Apple's certificates once
    // there were tokens.
    let later: Set<Metric> = [.rejections, .signingCertificateLastToken, .signingCertificateEnd]
    #expect(
      Set(figures.map(\.metric))
        == Set(Metric.allCases).subtracting(ofSockets).subtracting(ofFleets).subtracting(later))
    test.service.endCounts(counts)
  }
}
