import Configuration
import Foundation
import Policy
import Testing

/// What the package ships must load, and a change of what it permits must show in review.
@Suite struct ExampleTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private let system = Accounts(
    uid: {
      [
        "acme-gateway": 1001, "acme-orders": 1002, "alice": 1003, "bob": 1004, "carol": 1005,
        "dave": 1006, "erin": 1007, "frank": 1008, "grace": 1009,
        "heidi": 1010, "kist-metrics": 1011,
      ][
        $0]
    },
    gid: {
      [
        "kist-clients": 901, "kist-operators": 902, "kist-custodians": 903, "kist-approvers": 904,
        "kist-auditors": 905, "kist-metrics": 906,
      ][$0]
    })

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func theConfigurationLoads() throws {
    let configuration = try DaemonConfiguration.decode(
      Array(text("packaging/example/kist.toml").utf8), file: "kist.toml", accounts: system)
    #expect(configuration.freshnessWindow(merchant: "merchant.com.acme") == .seconds(120))
  }

  @Test func theExampleOfAFleetLoads() throws {
    let lines = try text("packaging/example/kist.toml").split(separator: "\n").map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? String(line.dropFirst()) : String(line)
    }
    let known = Accounts(
      uid: { $0 == "kist-claimd" ? 901 : nil },
      gid: { ["kist-clients": 901, "kist-operators": 902][$0] })
    let configuration = try DaemonConfiguration.decode(
      Array(lines.joined(separator: "\n").utf8), file: "kist.toml", accounts: known)
    #expect(
      configuration.fleet?.user.id == 901 && configuration.fleet?.timeout == .milliseconds(500))
    #expect(configuration.merchants.map(\.opensLocally) == [true])
  }

  /// Each commented key shows its default, so uncommenting them all changes nothing but the user it
  /// names.
  @Test func whatIsCommentedOutLoadsToo() throws {
    let lines = try text("packaging/example/kist.toml").split(separator: "\n").map { line in
      line.hasPrefix("# ") && line.contains(" = ") ? String(line.dropFirst(2)) : String(line)
    }
    let known = Accounts(
      uid: { $0 == "kist" ? 900 : nil },
      gid: { ["kist": 900, "kist-clients": 901, "kist-operators": 902][$0] })
    let everything = try DaemonConfiguration.decode(
      Array(lines.joined(separator: "\n").utf8), file: "kist.toml", accounts: known)
    let defaults = try DaemonConfiguration.decode(
      Array("audit.origin = \"o\"".utf8), file: "kist.toml", accounts: known)
    #expect(everything.stateDirectory == defaults.stateDirectory)
    #expect(everything.service.path == defaults.service.path)
    #expect(everything.service.mode == defaults.service.mode)
    #expect(everything.admin.path == defaults.admin.path)
    #expect(everything.policyDirectory == defaults.policyDirectory)
    #expect(everything.audit.directory == defaults.audit.directory)
    #expect(everything.audit.segmentSize == defaults.audit.segmentSize)
    #expect(everything.memory.arenaSize == defaults.memory.arenaSize)
    #expect(everything.memory.allowsMlockFallback == defaults.memory.allowsMlockFallback)
    #expect(everything.limits.connections == defaults.limits.connections)
    #expect(everything.limits.connectionsPerUser == defaults.limits.connectionsPerUser)
    #expect(everything.limits.operatorConnections == defaults.limits.operatorConnections)
    #expect(
      everything.limits.operatorConnectionsPerUser == defaults.limits.operatorConnectionsPerUser)
    #expect(everything.slices == defaults.slices)
    #expect(everything.limits.inFlight == defaults.limits.inFlight)
    #expect(everything.limits.idleTimeout == defaults.limits.idleTimeout)
    #expect(everything.limits.frameTimeout == defaults.limits.frameTimeout)
    #expect(everything.applePay.freshnessWindow == defaults.applePay.freshnessWindow)
    #expect(everything.applePay.replayEntries == defaults.applePay.replayEntries)
    #expect(everything.process.seccomp == defaults.process.seccomp)
    #expect(everything.process.landlock == defaults.process.landlock)
    #expect(everything.unlock == .systemd("kist-kek"))
  }

  /// What the daemon's unit forbids, those that fetch its key and write its metrics are forbidden,
  /// too, but for what either cannot do without.
  @Test(arguments: ["kist-unseal@.service", "kist-metrics.service"]) func otherUnitsAreAsConfined(
    _ unit: String
  ) throws {
    let own = Set([
      "Type", "NotifyAccess", "ExecReload", "TimeoutStartSec", "TimeoutStopSec", "Restart",
      "RestartSec", "OOMScoreAdjust",
    ])
    let places = Set([
      "ConfigurationDirectory", "ConfigurationDirectoryMode", "StateDirectory",
      "StateDirectoryMode", "ReadWritePaths", "User", "Group",
    ])
    // The arena's; the connections'; what the daemon sees of its callers; and the TPM, which is a
    // device.
    let otherwise: Set = ["LimitMEMLOCK", "LimitNOFILE", "PrivateUsers", "PrivateDevices"]
    let daemon = try settings("kistd.service")
    let other = try settings(unit)
    for name in Set(daemon.map(\.name)).subtracting(own).subtracting(places).subtracting(otherwise)
    {
      #expect(other.contains { $0.name == name }, "\(name)")
    }
    for setting in daemon
    where setting.value == "yes" && !otherwise.contains(setting.name)
      && !places.contains(setting.name)
    {
      #expect(other.contains(setting), "\(setting)")
    }
  }

  private struct Setting: Hashable {
    let name, value: String
  }

  private func settings(_ unit: String) throws -> [Setting] {
    let service = try #require(
      try text("packaging/systemd/" + unit).components(separatedBy: "[Service]").last?.components(
        separatedBy: "[Install]"
      ).first)
    return service.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? Setting(name: String(parts[0]), value: String(parts[1])) : nil
    }
  }

  @Test func thePolicyIsTheOneReviewed() throws {
    let sources = try ["10-roles.toml", "20-example.toml"].map {
      PolicyDirectory.Source(
        file: $0, text: Array(try text("packaging/example/policy.d/" + $0).utf8))
    }
    let policy = try PolicyDirectory.locate(sources, accounts: system).policy
    #expect(try policy.canonicalText == text("Tests/Snapshots/example-policy.toml"))
  }
}
