import CLinux
import Format
import Foundation
import KistClient
import TestSupport
import Testing

/// One user who takes what all connections need: threads, stacks, places.
@Suite(.serialized, .enabled(if: getuid() == 0, "needs root to be several users"))
struct CrowdingTests {
  private static let attacker = "40003"

  private static func open(_ daemon: TestDaemon) {
    for path in [daemon.directory.path, daemon.directory.path + "/run"] {
      unsafe chmod(path, 0o711)
    }
  }

  private static func daemon(_ kernel: RightsKernel, _ limits: String) throws -> TestDaemon {
    let daemon = try TestDaemon(
      TestDaemon.Options(mode: "0666", extra: "[limits]\n" + limits, launcher: kernel.launcher))
    open(daemon)
    return daemon
  }

  /// How many descriptors such a kernel lets the attacker send.
  private static func sendable(_ tries: Int, _ kernel: RightsKernel) -> Int {
    kernel.refuses ? 0 : tries
  }

  /// Sends them while the daemon is stopped: what is refused, too, has them unread.
  private static func attack(
    _ daemon: TestDaemon, _ kernel: RightsKernel, at path: String? = nil, by uid: String = attacker,
    idle: Int = 0, tries: Int, _ count: Int = 0
  ) throws -> Companion {
    let attack = try Companion(
      "linger.py", [path ?? daemon.services.path, uid, "\(idle)", "\(tries)", "\(count)"],
      stopping: daemon.pid)
    #expect(attack.line() == "\(sendable(tries, kernel))\n")
    kill(daemon.pid, SIGCONT)
    attack.tell("")
    #expect(attack.line() == "over\n")
    return attack
  }

  @Test(
    "[WIRE-17] descriptors whose close takes an hour keep no acceptor from serving others",
    arguments: RightsKernel.allCases, [0, 32_768])
  func acceptor(_ kernel: RightsKernel, _ count: Int) throws {
    let daemon = try Self.daemon(kernel, "connections = 6\nconnections_per_user = 3\n")
    let attack = try Self.attack(daemon, kernel, idle: 3, tries: 8, count)
    defer { withExtendedLifetime(attack) {} }
    for endpoint in [daemon.services, daemon.operators] {
      for client in try (0..<3).map({ _ in try Client(endpoint) }) { try client.ping() }
    }
    #expect(daemon.stop() == 0)
  }

  @Test(
    "[WIRE-17] descriptors whose close takes an hour keep nobody's stack, and no places but their sender's",
    arguments: RightsKernel.allCases, [0, 32_768])
  func stacks(_ kernel: RightsKernel, _ count: Int) throws {
    let daemon = try Self.daemon(
      kernel,
      "connections = 6\nconnections_per_user = 4\noperator_connections = 2\noperator_connections_per_user = 2\n"
    )
    let attack = try Self.attack(daemon, kernel, tries: 40, count)
    defer { withExtendedLifetime(attack) {} }
    let services = try (0..<2).map { _ in try Client(daemon.services) }
    let operators = try (0..<2).map { _ in try Client(daemon.operators) }
    for client in services + operators { try client.ping() }
    // His places are his only where nothing of his is being closed.
    let again = try Companion("hold.py", [daemon.services.path, "0", "4", Self.attacker])
    #expect(again.line() == "held\n")
    try eventually {
      try operators[0].status().connections == (Self.sendable(1, kernel) == 0 ? 8 : 4)
    }
    #expect(daemon.stop() == 0)
  }

  @Test(
    "descriptors whose close takes an hour keep nobody from claims.sock",
    arguments: RightsKernel.allCases) func claims(_ kernel: RightsKernel) throws
  {
    let daemon = try TestDaemon(TestDaemon.Options(fleet: "paris", launcher: kernel.launcher))
    let attack = try Self.attack(daemon, kernel, at: daemon.claims, by: "0", tries: 4)
    defer { withExtendedLifetime(attack) {} }
    // It waits until the daemon knows.
    let claimd = try ScriptedClaimd(daemon)
    claimd.hangUp()
    #expect(daemon.stop() == 0)
  }

  @Test(
    "[WIRE-25] two users with all connections of operators lose one to each who has none, and the others go on"
  ) func operators() throws {
    let policy =
      TestDaemon.everything
      + "\n[[grant]]\nid = \"low\"\nusers = [40004, 40005, 40006]\noperations = [\"status\"]\n"
    let daemon = try TestDaemon(TestDaemon.Options(custodians: ["daemon", "bin"], policy: policy))
    let group = try #require(
      try FileManager.default.attributesOfItem(atPath: daemon.operators.path)[.groupOwnerAccountID]
        as? Int)
    let crowd = try Companion(
      "hold.py", [daemon.operators.path, "\(group)", "8", "40004", "40005"])
    #expect(crowd.line() == "held\n")
    let third = try Companion("hold.py", [daemon.operators.path, "\(group)", "1", "40006"])
    #expect(third.line() == "held\n")
    let client = try Client(daemon.operators)
    #expect(try client.status().connections == 17)
    // Who has one loses nobody else's.
    third.tell("")
    #expect(third.line() == "0\n")
    crowd.tell("")
    let lost = crowd.line().split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    #expect(lost.reduce(0, +) == 1, "\(lost)")
    _ = try client.call(.lock)
    #expect(daemon.stop() == 0)
  }

  @Test(
    "[WIRE-25] where everybody has one connection, the next is refused, and who may lock gets in")
  func lock() throws {
    let users = (40_010..<40_026).map { "\($0)" }
    let policy =
      TestDaemon.everything
      + "\n[[grant]]\nid = \"low\"\nusers = [\(users.joined(separator: ", ")), 40004]\noperations = [\"status\"]\n"
    let daemon = try TestDaemon(TestDaemon.Options(custodians: ["daemon", "bin"], policy: policy))
    let group = try #require(
      try FileManager.default.attributesOfItem(atPath: daemon.operators.path)[.groupOwnerAccountID]
        as? Int)
    let crowd = try Companion("hold.py", [daemon.operators.path, "\(group)", "1"] + users)
    #expect(crowd.line() == "held\n")
    let late = try Companion("hold.py", [daemon.operators.path, "\(group)", "1", "40004"])
    #expect(late.line() == "held\n")
    #expect(
      daemon.errors(until: "event=connections-refused").contains(
        "socket=operators reason=full uid=40004 count=1"))
    _ = try Client(daemon.operators).call(.lock)
    crowd.tell("")
    #expect(crowd.line() == Array(repeating: "0", count: 16).joined(separator: " ") + "\n")
    #expect(daemon.stop() == 0)
  }
}
