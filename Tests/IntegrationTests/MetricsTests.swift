import Format
import Foundation
import KistClient
import TestSupport
import Testing

/// `kist status --metrics` of a real daemon.
@Suite(.serialized) struct MetricsTests {
  private static let policy = """
    [[grant]]
    id = "monitor"
    users = [\(getuid())]
    operations = ["random", "status", "metrics", "lock"]

    [[grant]]
    id = "rare"
    users = [\(getuid())]
    operations = ["who"]
    rate = "1/h"
    """

  private func start(_ extra: String = "") throws -> TestDaemon {
    let daemon = try TestDaemon(TestDaemon.Options(policy: Self.policy, mode: "0666", extra: extra))
    for (name, mode) in [("", 0o755), ("/run", 0o755)] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: daemon.directory.path + name)
    }
    return daemon
  }

  private func metrics(_ daemon: TestDaemon) throws -> Exposition {
    let answer = try Terminal([
      TestDaemon.executable("kist").path, "status", "--metrics", "--socket", daemon.operators.path,
    ]).end()
    try #require(answer.code == 0, "\(answer)")
    return try Exposition(answer.text.replacing("\r\n", with: "\n"))
  }

  @Test("counts are what was asked, over many connections, and begin at zero again after a restart")
  func counted() throws {
    let daemon = try start()
    let before = try daemon.records().count
    let sockets = try (0..<10).map { _ in try RawSocket(daemon.services) }
    // Pipelined: thirty requests of each, of which ten are denied.
    for socket in sockets {
      for id in 1...30 as ClosedRange<UInt64> {
        socket.send(
          RawSocket.frame(
            id.isMultiple(of: 3) ? .describe : .random, requestID: id,
            body: id.isMultiple(of: 3) ? [] : [8, 8]))
      }
    }
    for socket in sockets { for _ in 1...30 { #expect(try socket.reply() != nil) } }
    for _ in 0..<3 {
      #expect(["ok", "busy"].contains(outcome { _ = try Client(daemon.services).who() }))
    }
    let found = try metrics(daemon)
    #expect(try found.count("kist_requests_total{operation=random,status=ok}") == 200)
    #expect(try found.count("kist_requests_total{operation=describe,status=denied}") == 100)
    #expect(try found.count("kist_denials_total{grant=,reason=no-grant}") == 100)
    #expect(try found.count("kist_requests_total{operation=who,status=busy}") == 2)
    #expect(
      try found.count("kist_denials_total{grant=rare,reason=rate}") == 2
        && found.count("kist_busy_total{cause=rate}") == 2)
    #expect(try found.count("kist_compute_seconds_count{class=general}") >= 303)
    let batches = try found.count("kist_batch_requests_count")
    #expect(try found.count("kist_queue_seconds_count") == batches && batches < 320)
    #expect(try found.count("kist_commit_records_count") > 0)
    #expect(try daemon.records().count == before + 303, "metrics leave no record")
    #expect(try found.count("kist_user_connections{uid=\(getuid())}") > 10)
    #expect(
      try found.count("kist_answer_seconds_count{operation=random}") == 200
        && found.count("kist_answer_seconds_count{operation=describe}") == 100)
    #expect(
      found["kist_answer_seconds_sum{operation=random}"] != "0"
        && found["kist_cpu_seconds_total"] != "0")
    #expect(try found.count("kist_batches_in_flight") == 1, "the one that asks")
    // Each connection is worked for on a stack of its own.
    #expect(
      try found.count("kist_socket_connections{socket=services}") >= 10
        && found.count("kist_stacks{pool=services}") >= 10)
    #expect(
      try found.count("kist_socket_connections{socket=operators}") >= 1
        && found.count("kist_stacks{pool=operators}") >= 1)
    for (use, limit) in [("kist_socket_connections", "socket"), ("kist_stacks", "pool")] {
      for socket in ["services", "operators"] {
        #expect(
          try found.count("\(use)_limit{\(limit)=\(socket)}")
            > found.count("\(use){\(limit)=\(socket)}"))
      }
    }
    #expect(daemon.stop() == 0)

    let again = try daemon.restarted()
    defer { again.stop() }
    let restarted = try metrics(again)
    #expect(restarted["kist_requests_total{operation=random,status=ok}"] == nil)
    #expect(
      try restarted.count("kist_denials_total{grant=,reason=no-grant}") == 0
        && restarted.count("kist_batch_requests_count") < 10)
  }

  @Test("it answers while locked, with the log's free space") func locked() throws {
    let daemon = try start()
    defer { daemon.stop() }
    _ = try Client(daemon.operators).call(.lock)
    #expect(outcome { _ = try Client(daemon.services).random(8) } == "locked")
    let found = try metrics(daemon)
    #expect(
      found["kist_serving"] == "0"
        && found["kist_requests_total{operation=random,status=locked}"] == "1")
    #expect(try found.count("kist_audit_free_bytes") > 0)
  }

  @Test("it answers while the services' socket is full and flooded, and says so") func overloaded()
    throws
  {
    let daemon = try start("[limits]\nconnections_per_user = 4\n")
    defer { daemon.stop() }
    // The connections with which the daemon was found ready have ended once this command's own is
    // the only one.
    while try metrics(daemon).values(of: "kist_user_connections").values.reduce(0, +) > 1 {}
    let flood = try (0..<4).map { _ in try RawSocket(daemon.services) }
    let frames = (0..<200).flatMap {
      RawSocket.frame(.random, requestID: UInt64($0), body: [8, 8])
    }
    for _ in 0..<3 {
      for socket in flood { socket.send(frames) }
      let found = try metrics(daemon)
      #expect(try found.count("kist_user_connections{uid=\(getuid())}") >= 4)
      for socket in flood { for _ in 0..<200 { #expect(try socket.reply()?.status == .ok) } }
    }
    for _ in 0..<2 { #expect(outcome { _ = try Client(daemon.services).random(8) } == "busy") }
    let found = try metrics(daemon)
    #expect(try found.count("kist_busy_total{cause=connections}") == 2)
    #expect(try found.count("kist_requests_total{operation=random,status=ok}") == 3 * 4 * 200)
  }

  @Test(
    "without a grant for the counts there is the rest, and the exit code says that something is missing"
  ) func partly() throws {
    let policy = Self.policy.replacing(", \"metrics\"", with: "")
    let daemon = try TestDaemon(TestDaemon.Options(policy: policy))
    defer { daemon.stop() }
    let answer = try Terminal([
      TestDaemon.executable("kist").path, "status", "--metrics", "--socket", daemon.operators.path,
    ]).end()
    #expect(
      answer.code == 1 && answer.text.contains("kist_up 1")
        && !answer.text.contains("kist_requests_total"), "\(answer)")
    let json = try Terminal([
      TestDaemon.executable("kist").path, "status", "--metrics", "--json", "--socket",
      daemon.operators.path,
    ]).end()
    #expect(
      json.code == 1 && json.text.contains("kist_up") && !json.text.contains("kist_requests_total")
        && !json.text.contains("\n{"), "\(json)")
  }
}
