import Format
import Foundation
import TestSupport
import Testing

/// Names that others chose, with characters that steer a terminal: no command shows them as they
/// are.
@Suite struct HostileTextTests {
  private static let name =
    "a\u{1B}[2J\u{7F}\u{9B}31m\u{202E}\u{2066}\u{2028}\r\nkist: good.service"
  private let scratch: Scratch

  init() throws {
    try #require(TestArena.ready)
    scratch = try Scratch()
  }

  /// One record of an unsigned log, which the commands that only look at records take as it stands.
  private func makeLog() throws -> String {
    let record: [CanonicalJSON.Member] = [
      .init(
        "actor",
        .object([
          .init("exe", .string("/bin/" + Self.name)), .init("gid", .integer(1)),
          .init("name", .string(Self.name)),
          .init("owner_name", .string(Self.name)), .init("pid", .integer(7)),
          .init("uid", .integer(1001)),
          .init("unit", .string(Self.name)),
        ])),
      .init("boot", .string("b")), .init("key", .string(String(repeating: "1", count: 32))),
      .init("label", .string(Self.name)),
      .init("op", .string("open-payment-token")),
      .init(
        "policy",
        .object([
          .init("decision", .string("allow")), .init("grant", .string(Self.name)),
          .init("group", .integer(5)), .init("group_name", .string(Self.name)),
        ])),
      .init("prev", .string(String(repeating: "0", count: 64))),
      .init("released", .array([.string("last4")])),
      .init("req", .string(String(repeating: "0", count: 16))), .init("result", .string("ok")),
      .init("seq", .integer(0)),
      .init("ts", .string("2026-11-20T09:30:00.000000Z")), .init("v", .integer(1)),
    ]
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/audit", withIntermediateDirectories: false)
    try scratch.write(
      "audit/00000000000000000000.log",
      String(decoding: CanonicalJSON.object(record).serialised, as: UTF8.self) + "\n")
    return scratch.path + "/audit"
  }

  private static func expectPrintable(_ answer: Transcript, _ words: [String]) {
    for text in [answer.output, answer.complaint] {
      for line in text.replacing("\r\n", with: "\n").split(separator: "\n") {
        #expect(Printable.isLine(String(line)), "\(words)")
        #expect(!line.hasPrefix("kist: good"), "\(words): a name forged a line")
      }
    }
  }

  @Test(arguments: [
    ["audit", "show", "LOG"], ["audit", "show", "LOG", "--csv"],
    ["audit", "show", "LOG", "--json"], ["audit", "show", "LOG", "0", "--json"],
    ["audit", "tail", "LOG"], ["audit", "tail", "LOG", "--csv"],
    ["audit", "tail", "LOG", "--json"], ["audit", "report", "LOG", "--since", "2026-11-01"],
    ["audit", "report", "LOG", "--since", "2026-11-01", "--json"],
  ]) func aRecord(_ words: [String]) throws {
    let log = try makeLog()
    let answer = try Kist.run(words.map { $0 == "LOG" ? log : $0 })
    #expect(
      answer.code == 0 && answer.complaint.isEmpty && answer.output.contains("good.service"),
      "\(answer)")
    Self.expectPrintable(answer, words)
  }

  @Test func jsonStillMeansTheSame() throws {
    let answer = try Kist.run(["audit", "show", makeLog(), "--json"])
    let record = try #require(
      JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any])
    #expect(record["label"] as? String == Self.name)
  }

  @Test func thePage() throws {
    let page = scratch.path + "/report.html"
    #expect(
      try Kist.run(["audit", "report", makeLog(), "--since", "2026-11-01", "--html", page]).code
        == 0)
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("good.service"))
    for line in html.split(separator: "\n") { #expect(Printable.isLine(String(line))) }
  }

  /// TOML can hold anything: as an escape, or as it is where TOML itself has nothing against it.
  static let toml = #"a\u001b[2J\u009b\u202e\u2028\nkist: good"# + "\u{9B}\u{202E}"

  @Test(arguments: [
    "\"NAME\" = 1", "[\"NAME\"]", "[[grant]]\nid = \"NAME\"",
    "[[grant]]\nid = \"a\"\nusers = [\"NAME\"]", "[[grant]]\nid = \"a\"\nunits = [\"NAME\"]",
    "[[grant]]\nid = \"a\"\nusers = [1]\noperations = [\"NAME\"]",
    "[[grant]]\nid = \"a\"\nusers = [1]\nkeys = [\"NAME\"]", "a = NAME",
  ]) func aPolicy(_ text: String) throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/policy.d", withIntermediateDirectories: false)
    try scratch.write("policy.d/a.toml", text.replacing("NAME", with: Self.toml))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: scratch.path + "/policy.d/a.toml")
    for words in [["policy", "check"], ["policy", "check", "--json"], ["policy", "show"]] {
      let answer = try Kist.run(words + [scratch.path + "/policy.d"])
      #expect(answer.code == 1 && answer.complaint.contains(":"), "\(answer)")
      Self.expectPrintable(answer, words)
    }
  }

  @Test func aTestOfAPolicy() throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/policy.d", withIntermediateDirectories: false)
    try scratch.write(
      "policy.d/a.toml",
      "[[grant]]\nid = \"a\"\nusers = [1]\noperations = [\"random\"]\nrate = \"1/s\"\n")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: scratch.path + "/policy.d/a.toml")
    let cases = try scratch.write(
      "cases.toml",
      "[[case]]\nname = \"\(Self.toml)\"\nuser = 1\ngroups = [1]\noperation = \"random\"\ngrant = \"\(Self.toml)\"\n"
    )
    let answer = try Kist.run(["policy", "test", cases, "--dir", scratch.path + "/policy.d"])
    #expect(answer.code == 1 && answer.output.contains("kist: good"), "\(answer)")
    Self.expectPrintable(answer, ["policy", "test"])
  }

  @Test(arguments: ["purpose", "store", "id"]) func aCeremony(_ field: String) throws {
    let plan = try scratch.write(
      "plan.toml",
      "\(field) = \"\(field == "store" ? "/" : "")\(Self.toml)\"\nwitness_quorum = 1\n[[person]]\nname = \"\(Self.toml)\"\n"
    )
    let answer = try Kist.run(["ceremony", "plan", plan])
    #expect(answer.code == 1 && answer.complaint.hasPrefix(plan), "\(answer)")
    Self.expectPrintable(answer, ["ceremony", "plan"])
  }

  @Test(arguments: [
    [name], ["audit", name], ["audit", "show", "/" + name],
    ["key", "show", name, "--socket", "/" + name], ["policy", "check", "/" + name],
    ["audit", "report", "--since", name], ["token", "diagnose", "/" + name], ["ping", name],
  ]) func anArgument(_ words: [String]) throws {
    let answer = try Kist.run(words)
    #expect(
      [1, 2, 66].contains(answer.code) && answer.complaint.contains("good.service"), "\(answer)")
    Self.expectPrintable(answer, words)
  }
}
