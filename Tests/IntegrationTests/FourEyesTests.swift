import Audit
import Ceremony
import Crypto
import Foundation
import KeyStore
import KistClient
import Testing

/// Two officers at two terminals: what one asks for, and the other lets happen.
@Suite(.enabled(if: getuid() == 0, "needs root to be two users")) struct FourEyesTests {
  private static let (first, second) = (UInt32(40_001), UInt32(40_002))
  private let daemon: TestDaemon

  init() throws {
    daemon = try TestDaemon(
      TestDaemon.Options(
        symmetricKeys: [("acme/old", .sealing), ("bank/exchange", .keyExchange)],
        policy: Self.policy(""),
        extra:
          "[operators]\napproval = [\"activate-key\", \"destroy-key\", \"swap-policy\", \"back-up\", \"export-key\"]\n",
        backups: true))
    try open("", "run", "policy.d", mode: 0o755)
    try open("run/admin.sock", mode: 0o666)
    try open("policy.d/10-test.toml", mode: 0o644)
  }

  private func open(_ names: String..., mode: Int) throws {
    for name in names {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: daemon.directory.path + "/" + name)
    }
  }

  private static func policy(_ more: String) -> String {
    """
    [[grant]]
    id = "officers"
    users = [\(first), \(second)]
    operations = [
      "list-keys", "describe-key", "generate-key", "activate-key", "retire-key", "destroy-key", "approve", "list-requests", "swap-policy", "back-up",
      "status", "export-key",
    ]
    keys = ["*"]
    stages = true
    \(more)
    """
  }

  /// `kist` at somebody's terminal.
  private func start(_ words: [String], as uid: UInt32) throws -> Terminal {
    let kist = TestDaemon.executable("kist").path
    return try Terminal(
      ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", kist] + words + [
        "--socket", daemon.operators.path,
      ])
  }

  private func kist(_ words: String..., by uid: UInt32 = first) throws -> (
    code: Int32, text: String
  ) { try start(words, as: uid).end() }

  /// The name by which a second person must know what was refused for now.
  private func name(in text: String) throws -> String {
    String(try #require(text.firstMatch(of: /kist approve ([0-9a-f]{8})/)).1)
  }

  @Test("a key is made, waits for its activation, and is destroyed by two") func life() throws {
    #expect(
      try kist("key", "generate", "--label", "acme/new", "--role", "sealing", "--pre-active").code
        == 0)
    let asked = try kist("key", "activate", "acme/new", "--json")
    #expect(asked.code == 1 && asked.text.contains(/"until":"20[0-9T:-]+Z"/), "\(asked)")
    let name = try name(in: asked.text)
    #expect(try kist("approve", name).text.contains("it is your own request"))
    #expect(try kist("approve", "00000000", by: Self.second).code == 1)
    #expect(try kist("approve", name, by: 40_003).code == 1)
    let listed = try kist("approve", "--list", by: Self.second).text
    #expect(
      listed.contains(name) && listed.contains("activate-key") && listed.contains("acme/new")
        && listed.contains("40001"))
    #expect(try kist("approve", name, by: Self.second).code == 0)
    // It is for whoever asked: the second person's own request waits like any other.
    #expect(try kist("key", "activate", "acme/new", by: Self.second).code == 1)
    let done = try kist("key", "activate", "acme/new")
    #expect(done.code == 0 && done.text.contains("active"))
    #expect(daemon.stop() == 0)
    let approvals = try daemon.records().filter { $0.inputs.approval?.request == name }
    #expect(approvals.compactMap { $0.actor?.uid } == [40_001, 40_001, 40_002, 40_001])
    #expect(approvals.map(\.result) == ["approval-needed", "rejected", "ok", "ok"])
    #expect(approvals.last?.inputs.approval?.by == Self.second)
  }

  @Test("--wait goes on as soon as the other has approved") func waiting() throws {
    defer { daemon.stop() }
    #expect(try kist("key", "retire", "acme/old").code == 0)
    let waiting = try start(["key", "destroy", "acme/old", "--wait"], as: Self.first)
    let name = try name(in: waiting.text(until: "kist approve "))
    #expect(try kist("key", "show", "acme/old").text.contains("retired"))
    #expect(try kist("approve", name, by: Self.second).code == 0)
    let end = waiting.end()
    #expect(end.code == 0 && end.text.contains("destroyed"))
    #expect(try kist("key", "show", "acme/old").code == 1)
  }

  @Test("who approves an export sees the exchange key by its label and check value") func export()
    throws
  {
    defer { daemon.stop() }
    #expect(
      try kist("key", "generate", "--label", "acme/data", "--role", "sealing", "--exportable").code
        == 0)
    let kcv = try #require(
      kist("key", "show", "bank/exchange").text.firstMatch(of: /KCV +([0-9A-F]{6})([0-9A-F]{4})/))
    let asked = try kist("key", "export", "acme/data", "--under", "bank/exchange")
    let name = try name(in: asked.text)
    let listed = try kist("approve", "--list", by: Self.second).text
    #expect(
      listed.contains(
        "\(name) exports acme/data to those who hold bank/exchange, check value \(kcv.1) \(kcv.2)"),
      "\(listed)")
    let json = try kist("approve", "--list", "--json", by: Self.second).text
    #expect(json.contains("\"kcv\":\"\(kcv.1)\(kcv.2)\",\"label\":\"bank/exchange\""), "\(json)")
  }

  @Test("a backup waits for the other officer, and its digest is on the record") func backup()
    throws
  {
    let backups = daemon.directory.path + "/backups"
    let waiting = try start(["backup", "--wait"], as: Self.first)
    let name = try name(in: waiting.text(until: "kist approve "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: backups).isEmpty)
    #expect(try kist("approve", name).code == 1)
    #expect(try kist("approve", "--list", by: Self.second).text.contains("back-up"))
    #expect(try kist("approve", name, by: Self.second).code == 0)
    let end = waiting.end()
    #expect(end.code == 0 && end.text.contains("4, each unwrapped and checked"), "\(end)")
    let made = try #require(try FileManager.default.contentsOfDirectory(atPath: backups).first)
    let copy = try StoreCopy(backups + "/" + made)
    #expect(end.text.contains(made) && end.text.contains(copy.facts.digest.hex), "\(end)")
    #expect(try kist("backup", by: 40_003).code == 1)
    #expect(daemon.stop() == 0)
    let record = try #require(
      try daemon.records().last { $0.operation == "back-up" && $0.result == "ok" })
    #expect(
      record.inputs.backup?.digest == copy.facts.digest && record.inputs.approval?.by == Self.second
    )
  }

  @Test(
    "the policy changes when one has named it and the other agreed; until then a reload keeps the old"
  ) func policy() throws {
    defer { daemon.stop() }
    let file = daemon.directory.appendingPathComponent("policy.d/10-test.toml")
    let before = daemon.directory.path + "/before.d"
    try FileManager.default.copyItem(atPath: daemon.directory.path + "/policy.d", toPath: before)
    try Data(
      Self.policy("[[grant]]\nid = \"more\"\nusers = [40004]\noperations = [\"describe\"]\n").utf8
    ).write(to: file)
    try open("policy.d/10-test.toml", mode: 0o644)
    let refused = try daemon.reload()
    #expect(refused.code == 78 && refused.text.contains("nobody approved the policy"), "\(refused)")
    #expect(
      daemon.errors(until: "nobody approved the policy").contains("'kist policy swap' asks for it"))
    let swap = ["policy", "swap", "--dir", daemon.directory.path + "/policy.d"]
    let name = try name(in: start(swap, as: Self.first).end().text)
    let hash = String(
      try #require(kist("approve", "--list", by: Self.second).text.firstMatch(of: /[0-9a-f]{64}/)).0
    )
    // The approver must have the files, and sees what they change; files that are not what was
    // asked for approve nothing.
    #expect(
      try kist("approve", name, "--policy", before, by: Self.second).text.contains(
        "is for policy \(hash), and \(before) has policy "))
    let files = ["--policy", daemon.directory.path + "/policy.d"]
    let shown = try start(["approve", name, "--show", "--from", before] + files, as: Self.second)
      .end()
    #expect(shown.code == 0 && shown.text.contains("policy \(hash)"), "\(shown)")
    #expect(
      shown.text.contains("user 40004 gains") && shown.text.contains("  describe: by grant more")
        && !shown.text.contains("user 40001"), "\(shown)")
    #expect(
      try start(["approve", name, "--show", "--from", files[1]] + files, as: Self.second).end().text
        .contains("the policy in force is "))
    #expect(try start(swap, as: Self.first).end().code == 1, "nothing is approved yet")
    let approved = try start(["approve", name] + files, as: Self.second).end()
    #expect(
      approved.code == 0 && approved.text.contains("policy \(hash)")
        && approved.text.contains("user 40004 gain"), "\(approved)")
    #expect(try start(swap, as: Self.first).end().code == 0)
    #expect(try daemon.reload().code == 0)
    #expect(daemon.errors(until: "event=reloaded").contains("event=reloaded"))
    let swaps = try daemon.records().filter { $0.operation.hasPrefix("policy-swap") }
    #expect(swaps.map(\.operation) == ["policy-swap-refused", "policy-swap"])
    #expect(
      swaps.last?.eventText("to") == hash, "what was listed is the policy's hash, not the request's"
    )
  }
}
