import Audit
import Crypto
import Format
import Foundation
import Host
import KeyStore
import KistClient
import TestSupport
import Testing

/// Real daemons, confined as ever, that share a merchant and a store; the clients know nothing of
/// that.
@Suite(.serialized, .enabled(if: Oracle.isPresent, "needs ../shared/oracle")) final class FleetTests
{
  private let oracle: Oracle
  private let store = ScriptedStore()

  init() throws { oracle = try Oracle(count: 12) }

  private func host(
    _ name: String, claims: String = "store", user: UInt32 = getuid(), launcher: [String] = []
  ) throws -> TestDaemon {
    var options = TestDaemon.Options(launcher: launcher)
    options.root = oracle.root
    options.clock = Oracle.clock
    options.keys = oracle.keys
    options.fleet = name
    options.fleetUser = user
    options.extra =
      "[[merchant]]\nidentifier = \"\(oracle.keys[0].merchant)\"\nclaims = \"\(claims)\"\n"
    options.policy = Self.operators
    return try TestDaemon(options)
  }

  /// How an opening of a token ends.
  private func opening(_ number: Int, _ daemon: TestDaemon) -> String {
    outcome { _ = try Client(daemon.services).openPaymentToken(oracle.tokens[number].token).amount }
  }

  @Test(
    "[FLEET-F1] eight callers race for tokens on two hosts: each opens once, and every opening has its claim"
  ) func race() throws {
    let paris = try host("paris")
    let rome = try host("rome")
    let peers = [try ScriptedClaimd(paris, store), try ScriptedClaimd(rome, store)]
    let opened = Locked<[Int: Int]>([:])
    let ends = (0..<8).map { _ in Signal() }
    for (caller, end) in ends.enumerated() {
      let endpoint = caller % 2 == 0 ? paris.services : rome.services
      let tokens = oracle.tokens.map(\.token)
      try #require(
        Thread.start(on: .ordinary) {
          defer { end.give() }
          guard let client = try? Client(endpoint) else { return }
          for (number, token) in tokens.enumerated()
          where (try? client.openPaymentToken(token).amount) != nil {
            opened.withLock { $0[number, default: 0] += 1 }
          }
        })
    }
    for end in ends { end.wait() }
    #expect(
      opened.withLock { $0.values.map { $0 } } == [Int](repeating: 1, count: oracle.tokens.count))
    let records = try (paris.records() + rome.records()).filter {
      $0.opcode == .openPaymentToken && $0.status == .ok
    }
    #expect(
      records.count == oracle.tokens.count
        && Set(records.compactMap(\.inputs.claim)).count == records.count
        && store.count == records.count)
    #expect(peers.count == 2 && paris.stop() == 0 && rome.stop() == 0)
  }

  @Test(
    "[FLEET-F3] [FLEET-SOCK-3] without kist-claimd nothing is opened and ready is red; with it, all goes on; a silent one is waited for and no longer"
  )
  func away() throws {
    let daemon = try host("paris")
    let client = try Client(daemon.services)
    func refusal(_ number: Int) -> String { opening(number, daemon) }
    #expect(outcome { _ = try client.ready() } == "busy" && refusal(0) == "busy")
    let claimd = try ScriptedClaimd(daemon, store)
    #expect(outcome { _ = try client.ready() } == "ok" && refusal(0) == "ok")
    store.manner = .silent
    #expect(refusal(1) == "busy")
    store.manner = .honest
    claimd.hangUp()
    try eventually { (try? client.ready()) == nil }
    #expect(refusal(2) == "busy")
    let again = try ScriptedClaimd(daemon, store)
    #expect(refusal(1) == "ok" && refusal(2) == "ok")
    let stages = try daemon.records().filter { $0.opcode == .openPaymentToken }.map(\.stage)
    #expect(stages == ["claims", nil, "claims", "claims", nil, nil])
    again.hangUp()
    #expect(daemon.stop() == 0)
  }

  @Test(
    "[FLEET-F3] a merchant with local claims is served without kist-claimd, and the daemon that a crash left says so when it is back"
  )
  func local() throws {
    var daemon = try host("paris", claims: "local")
    let sequence = try Client(daemon.services).openPaymentToken(oracle.tokens[0].token)
      .auditSequence
    let record = try daemon.record(#require(sequence))
    #expect(record.inputs.local != nil)
    daemon.killHard()
    daemon = try daemon.restarted()
    let claimd = try ScriptedClaimd(daemon, store)
    try eventually { try daemon.records().contains { $0.operation == "opening-claimed" } }
    #expect(
      try daemon.records().last { $0.operation == "opening-claimed" }?.eventText("claim")
        == record.inputs.claim?.hex && store.count == 1)
    claimd.hangUp()
    #expect(daemon.stop() == 0)
  }

  @Test(
    "[FLEET-SOCK-4] a peer that lies has tokens refused, or opened once on each host, and never twice on one"
  ) func lies() throws {
    let hosts = [try host("paris"), try host("rome")]
    let peers = try hosts.map { try ScriptedClaimd($0, store) }
    store.manner = .refusesAll
    #expect(hosts.map { opening(0, $0) } == ["rejected", "rejected"])
    store.manner = .grantsAll
    #expect(hosts.map { opening(1, $0) } == ["ok", "ok"])
    #expect(hosts.map { opening(1, $0) } == ["rejected", "rejected"])
    let claims = try hosts.map {
      try $0.records().last { $0.opcode == .openPaymentToken && $0.status == .ok }?.inputs.claim
    }
    #expect(claims[0] != nil && claims[0] == claims[1], "the records of both hosts show it")
    #expect(peers.count == 2 && hosts.map { $0.stop() } == [0, 0])
  }

  /// The socket's mode keeps out all but root, and the daemon looks at who it is as well.
  @Test(
    "[FLEET-SOCK-3] of all users only kist-claimd's is heard on claims.sock",
    .enabled(if: getuid() == 0, "needs root")) func strangers() throws
  {
    let daemon = try host("paris", user: 65_534)
    for path in [daemon.directory.path, daemon.directory.path + "/run"] {
      unsafe chmod(path, 0o711)
    }
    func said(as user: Int) throws -> String {
      let script = """
        import socket, sys
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(60)
        try:
            line.connect(sys.argv[1])
            hello = line.recv(100)
            # But for the random number of the run.
            print(hello[:6] + hello[14:])
        except PermissionError:
            print("may not")
        """
      let words = [
        "setpriv", "--reuid=\(user)", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c",
        script, daemon.claims,
      ]
      return String(decoding: try Oracle.run(words), as: UTF8.self)
    }
    #expect(
      try [65_533, 0, 65_534].map(said) == [
        "may not\n", "b''\n", "b'\\x00\\x00\\x00\\x0f\\x01\\x02paris'\n",
      ])
    #expect(opening(0, daemon) == "busy")
    #expect(daemon.stop() == 0)
  }

  @Test(
    "descriptors on claims.sock end the connection, and none is kept; the next peer is heard",
    arguments: RightsKernel.allCases)
  func descriptors(_ kernel: RightsKernel) throws {
    let daemon = try host("paris", launcher: kernel.launcher)
    let count = {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/fd").count
    }
    let before = try count()
    let script = """
      import os, socket, sys
      for _ in range(20):
          line = socket.socket(socket.AF_UNIX)
          line.settimeout(60)
          line.connect(sys.argv[1])
          hello = line.recv(100)
          try:
              socket.send_fds(line, [bytes([0, 0, 0, 2, 5, 1])], [0, 1, 2])
              assert not line.recv(100)
          except (PermissionError, ConnectionResetError) as error:
              assert hello and error.errno == int(sys.argv[2])
              # The next one is heard once the daemon has ended this one.
              if isinstance(error, PermissionError):
                  line.shutdown(socket.SHUT_WR)
                  assert not line.recv(100)
      """
    _ = try Oracle.run([
      Oracle.python, "-c", script, daemon.claims, "\(kernel.refuses ? EPERM : ECONNRESET)",
    ])
    #expect(opening(0, daemon) == "busy")
    let claimd = try ScriptedClaimd(daemon, store)
    #expect(opening(0, daemon) == "ok")
    claimd.hangUp()
    // What this opening itself has taken is closed once its peer is gone.
    try eventually { try count() <= before }
    #expect(daemon.stop() == 0)
  }

  @Test(
    "kist fleet status and check on a real daemon, and what they say of one that is locked, or in no fleet"
  ) func command() throws {
    let daemon = try host("paris")
    func run(_ words: [String], _ daemon: TestDaemon) throws -> String {
      let command =
        [
          "env", "KIST_ADMIN_ENDPOINT=unix:\(daemon.operators.path)",
          TestDaemon.executable("kist").path,
        ] + words
      return String(
        decoding: try Oracle.run(["sh", "-c", "\"$@\" 2>&1 || echo failed", "-"] + command),
        as: UTF8.self)
    }
    #expect(try run(["fleet", "status"], daemon).hasSuffix("failed\n"), "the store is away")
    let claimd = try ScriptedClaimd(daemon, store)
    #expect(try run(["fleet", "status"], daemon).contains("there"))
    let file = daemon.directory.path + "/paris.json"
    try Data(run(["fleet", "status", "--json"], daemon).utf8).write(to: URL(fileURLWithPath: file))
    let checked = try run(["fleet", "check", file, file], daemon)
    #expect(
      checked.contains("two hosts are called paris") && checked.hasSuffix("failed\n"), "\(checked)")
    _ = try Client(daemon.operators).call(.lock)
    let locked = try run(["fleet", "status"], daemon)
    let alone = try TestDaemon(TestDaemon.Options(policy: Self.operators))
    #expect(locked.contains("locked") && locked.hasSuffix("failed\n"), "\(locked)")
    let none = try run(["fleet", "status"], alone)
    #expect(
      none.contains("in no fleet") && !none.contains("locked") && none.hasSuffix("failed\n"),
      "\(none)")
    claimd.hangUp()
    #expect(daemon.stop() == 0 && alone.stop() == 0)
  }

  private static var operators: String {
    TestDaemon.everything.replacingOccurrences(of: "\"status\"", with: "\"status\", \"metrics\"")
  }
}
