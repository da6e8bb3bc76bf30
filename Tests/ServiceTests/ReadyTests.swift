import Format
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// A service asks whether requests are served.
@Suite struct ReadyTests {
  private let test: TestService

  init() throws { test = try TestService() }

  @Test(
    "[OP-READY-1] locked, serving and locked again: the status alone, without a grant and without a record"
  ) func locked() throws {
    #expect(try ready() == .locked)
    try test.unlock()
    #expect(try ready() == .ok)
    #expect(try ready(from: Caller(uid: 4242, gid: 4242, pid: 7)) == .ok)
    #expect(try ready(on: .operators) == .ok)
    #expect(try test.status(.lock, on: .operators) == .ok)
    #expect(try ready() == .locked)
    #expect(try !test.operations().contains("ready"))
  }

  @Test("[OP-READY-1] a log that failed: unavailable from then on") func logFailed() throws {
    try test.unlock()
    test.disk.fail(call: test.disk.changingCalls, .notDone, errno: 5)
    #expect(try test.status(.random, body: ServiceTests.random) == .auditUnavailable)
    #expect(try ready() == .auditUnavailable)
  }

  @Test("[OP-READY-1] a full disk: unavailable until there is space, as every other request")
  func diskFull() throws {
    try test.unlock()
    test.disk.fill(to: test.disk.usedBytes)
    for _ in 0..<50 where test.service.stateName == "serving" {
      var exchange = try test.service.exchange(with: TestService.caller, on: .services)
      let frame = TestService.frame(.random, body: ServiceTests.random)
      for _ in 0..<200 { try exchange.serve(frame.span) }
      _ = exchange.replies()
    }
    #expect(try ready() == .auditUnavailable)
    test.disk.fill(to: nil)
    #expect(try ready() == .ok)
  }

  @Test("[OP-READY-1] a stopped daemon does not serve") func stopped() throws {
    try test.unlock()
    #expect(test.service.stop())
    #expect(try ready() == .locked)
  }

  @Test("[WIRE-8] a body is malformed, and ends the connection", arguments: [Opcode.ping, .ready])
  func body(_ probe: Opcode) throws {
    var exchange = try test.service.exchange(with: TestService.caller, on: .services)
    try exchange.serve(TestService.frame(probe, body: [0]).span)
    let closes = exchange.closes
    #expect(closes)
    #expect(try TestService.reply(exchange.replies()).header.status == .malformed)
  }

  @Test("[OP-APPROVE-2] the operators' socket tells a subordinate uid nothing") func subordinate()
    throws
  {
    #expect(
      try test.status(
        .ready, from: Caller(uid: 100_000, gid: 1, pid: 3, owner: 1000), on: .operators) == .denied)
  }

  /// The reply's status; nothing else is in it.
  private func ready(from caller: Caller = TestService.caller, on socket: SocketKind = .services)
    throws -> Status
  {
    let reply = try test.call(.ready, from: caller, on: socket)
    #expect(reply.body.isEmpty && reply.header.auditSequence == ReplyHeader.unaudited)
    return reply.header.status
  }
}
