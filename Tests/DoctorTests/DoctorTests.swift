import Doctor
import Format
import Foundation
import KeyStore
import TestSupport
import Testing

/// Each finding made real on a false host, and nothing found on a healthy one.
@Suite struct DoctorTests {
  @Test func aHealthyHostGivesNothing() throws {
    let findings = try FalseHost().findings
    #expect(findings.isEmpty, "\(findings)")
    #expect(findings.exitCode == 0)
  }

  @Test(
    "a sandbox needs no units, users and groups; a host that has units needs them whatever its kist.toml says",
    arguments: [true, false])
  func sandbox(_ isTrial: Bool) throws {
    let host = try FalseHost()
    try host.append(
      FindingRow.configuration, "\n[sandbox]\nrehearsal = true\ntrust_anchor = \"/tmp/root.cer\"\n")
    host.give(without: ["kist-custodians"])
    let units = [
      "kistd.service", "kist.socket", "kist-admin.socket", "kist-accounts.path", "kist-check.timer",
    ]
    for unit in isTrial ? units : Array(units.prefix(1)) {
      try host.remove("/lib/systemd/system/" + unit)
    }
    let found = Set(host.findings.map(\.trouble.rawValue))
    #expect(
      found.isDisjoint(with: ["user-missing", "group-missing", "unit-missing", "unit-disabled"])
        == isTrial, "\(found)")
    #expect(found.isSuperset(of: ["rehearsal", "store-kind"]), "\(found)")
  }

  @Test func aPartnerWhoHasAKeyGivesNothing() throws {
    let host = try FalseHost()
    try host.grantToPartner()
    try host.change { try $0.addSymmetric("partner/acquirer", .partnerEncryptionAES) }
    #expect(host.findings.isEmpty, "\(host.findings)")
  }

  @Test(arguments: FindingRow.rows) func aMistakeIsFound(_ row: FindingRow) throws {
    let host = try FalseHost()
    try row.make(host)
    let findings = host.findings
    let found = try #require(
      findings.first { $0.trouble.rawValue == row.id }, "\(row.id) is not among \(findings)")
    #expect(found.cause.contains(row.words), "\(found)")
    #expect(findings.exitCode == row.code, "\(findings)")
    #expect(Set(findings.map(\.trouble.rawValue)) == row.others.union([row.id]), "\(findings)")
    for finding in findings {
      #expect(Self.isSentence(finding.cause) && Self.isSentence(finding.cure), "\(finding)")
    }
  }

  @Test("what the unit gives the daemon to unlock with is tried as it is given, drop-ins included")
  func trial() throws {
    let host = try FalseHost()
    try host.loadCredential()
    try host.write(
      "/etc/systemd/system/kistd.service.d/60-tpm.conf",
      "[Service]\nLoadCredential=kist-kek:/run/kist-unseal.sock\nLoadCredential=other:/x\n")
    try host.write("/run/kist-unseal.sock", "")
    let tried = Locked<[CredentialTrial]>([])
    host.surroundings.tryCredential = { trial in
      tried.withLock { $0.append(trial) }
      return .opens
    }
    #expect(host.findings.isEmpty, "\(host.findings)")
    let trial = try #require(tried.withLock { $0 }.first)
    #expect(
      (trial.user, trial.credential, trial.keys) == ("kist", "kist-kek", "/var/lib/kist/keys"))
    #expect(
      trial.settings == [
        "LoadCredential=kist-kek:/run/kist-unseal.sock",
        "LoadCredentialEncrypted=kist-kek:/etc/credstore.encrypted/kist-kek",
      ])
  }

  @Test(
    "a restart needs people, or is held up by what would make the start fail, and by nothing else")
  func restart() throws {
    let host = try FalseHost()
    #expect(CheckUp.startObstacles(in: host.surroundings) == nil)
    try host.loadCredential()
    try host.chmod("/var/lib/kist", 0o755)
    #expect(host.findings.map(\.trouble) == [.fileOpen])
    #expect(CheckUp.startObstacles(in: host.surroundings) == [])
    host.surroundings.tryCredential = { _ in .otherKey }
    #expect(CheckUp.startObstacles(in: host.surroundings)?.map(\.trouble) == [.credentialWrong])
    try host.write(FindingRow.configuration, "nonsense = 1\n")
    #expect(
      CheckUp.startObstacles(in: host.surroundings)?.map(\.trouble).contains(.configurationInvalid)
        == true)
  }

  @Test("beside a log, a new key store is no cure", arguments: [true, false]) func newStore(
    _ hasLog: Bool
  ) throws {
    let host = try FalseHost()
    try host.remove(FindingRow.keys)
    if !hasLog { try host.remove(FindingRow.log + "/00000000000000000000.log") }
    let found = try #require(host.findings.first { $0.trouble == .storeMissing })
    #expect(
      found.cure.contains("keystore init") != hasLog && found.cure.contains("kist restore"),
      "\(found)")
  }

  @Test func asMetrics() throws {
    let host = try FalseHost()
    let healthy = CheckUp.metrics(in: host.surroundings).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    let now = FalseHost.now.seconds
    let backup = TestLog.day(-8).seconds
    let run = "kist_doctor_run_timestamp_seconds \(now)"
    func counts(_ problems: Int, _ warnings: Int) -> [String] {
      [
        "kist_doctor_findings{severity=\"problem\"} \(problems)",
        "kist_doctor_findings{severity=\"warning\"} \(warnings)",
      ]
    }
    #expect(
      healthy.map(String.init) == [run] + counts(0, 0) + [
        "kist_last_backup_timestamp_seconds \(backup)"
      ])
    var log = TestLog()
    log.lines += ["record-drill", "review-log"].map { .init(operation: $0, time: TestLog.day(-5)) }
    log.lines.append(.init(operation: "review-log", result: "denied", time: TestLog.day(-4)))
    log.lines.append(
      .init(operation: "generate-key", label: "merchant/acme/mac", time: TestLog.day(-3)))
    try log.write(to: host.root)
    var surroundings = host.surroundings
    surroundings.checkpoints = [
      .init("kept", try log.checkpoint()),
      .init("signed", try log.checkpoint(witnessed: TestLog.day(-20))),
    ]
    let found = CheckUp.metrics(in: surroundings).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    let done = ["drill", "review"].map {
      "kist_last_\($0)_timestamp_seconds \(TestLog.day(-5).seconds)"
    }
    let findings = ["backup-stale", "witness-missing", "witness-stale"].map {
      "kist_doctor_finding{id=\"\($0)\",severity=\"warning\"} 1"
    }
    #expect(
      found.map(String.init) == [run] + counts(0, 3) + findings + [
        "kist_last_backup_timestamp_seconds \(backup)"
      ] + done
        + ["kist_last_witness_timestamp_seconds{checkpoint=\"signed\"} \(TestLog.day(-20).seconds)"]
    )
  }

  @Test func everyFindingHasARow() {
    #expect(Set(FindingRow.rows.map(\.id)) == Set(Trouble.allCases.map(\.rawValue)))
    #expect(Trouble.allCases.count >= 30)
  }

  @Test func thePageHasEveryFindingAndItsSeverity() throws {
    let page = try String(
      contentsOfFile: FalseHost.packaging + "/../docs/OPERATE.md", encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "## What kist doctor finds\n").last?.components(
        separatedBy: "\n## "
      ).first)
    let columns = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.map {
      $0.components(separatedBy: "|")
    }
    let named = columns.filter { $0.count == 5 }.flatMap { row in
      zip(["problem", "warning"], row[2...3]).flatMap { severity, cell in
        cell.matches(of: /`([a-z0-9-]+)`/).map { "\(severity) \($0.output.1)" }
      }
    }
    #expect(
      named.sorted() == Trouble.allCases.map { "\($0.severity.rawValue) \($0.rawValue)" }.sorted())
  }

  /// One sentence begins with a capital letter, a name or a path, and ends with a period; no Swift
  /// value stands in it.
  private static func isSentence(_ text: String) -> Bool {
    text.count > 15 && (text.hasSuffix(".") || text.hasSuffix("?")) && !text.contains("Optional(")
      && !text.contains("\n") && !text.contains("..")
  }
}
