import Ceremony
import Crypto
import Format
import Foundation
import Host
import Sandbox
import TestSupport
import Testing

extension CeremonyTests {
  private static let (first, second) = ("40001", "40002")
  private static let (old, new) = ("merchant/acme/2024", "merchant/acme/2026")
  private static let merchant = "merchant.com.acme"

  private static let grants = """
    [[grant]]
    id = "officers"
    users = [40001, 40002]
    operations = [
      "list-keys", "describe-key", "attach-certificate", "activate-key", "retire-key", "destroy-key", "approve", "list-requests",
    ]
    keys = ["*"]
    [[grant]]
    id = "shop"
    users = ["root"]
    operations = ["open-payment-token"]
    keys = ["merchant/acme/*"]
    release = ["last4"]

    """

  private static func merchantKey(_ label: String, _ more: String = "") -> String {
    let name = label.split(separator: "/").last ?? ""
    return """
      [[step]]
      kind = "generate"
      label = "\(label)"
      role = "merchant-processing-ec"
      algorithm = "P-256"
      merchant = "\(merchant)"
      public = "\(name).pem"
      \(more)

      """
  }

  private static let attach = """
    [[step]]
    kind = "attach-certificate"
    label = "\(old)"
    certificate = "/media/apple.cer"
    sha256 = "\(String(repeating: "0", count: 64))"

    """

  /// From the first sheet to the end of a key, all of it at terminals: a 2-of-3 initialisation,
  /// components, an unlock by two users, a rotation with tokens, and a destruction that a second
  /// officer approves. A rehearsal, since no other store takes tokens that are not Apple's.
  @Test(.enabled(if: getuid() == 0, "needs root to be several users")) func theWholeLifeOfAKey()
    throws
  {
    try #require(TestArena.ready)
    let record = try TerminalRecord(scratch)
    try make(record)
    let pki = try TestApplePKI.make()
    try Data(pki.root.certificate.der).write(to: URL(fileURLWithPath: scratch.path + "/root.cer"))
    let daemon = try daemon(
      String(repeating: "0", count: 64), policy: Self.grants,
      configuration:
        "[operators]\napproval = [\"destroy-key\"]\n[sandbox]\nrehearsal = true\ntrust_anchor = \"\(scratch.path)/root.cer\"\n"
    )
    defer { daemon.terminate() }
    for (name, mode) in [("policy.d", 0o755), ("policy.d/10-test.toml", 0o644)] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: scratch.path + "/" + name)
    }
    let paper = try paper()
    for (user, custodian, said) in [
      ("daemon", "carol", "taken: 1 of 2 shares"), ("bin", "dave", "unlocked"),
    ] {
      let words = try #require(paper.words[custodian]).joined(separator: " ")
      record.expect(try record.hold(["unlock", "--share"], as: user, typing: [words]), said)
    }
    try rotate(pki, record)
    try destroy(record)
    try record.expectNoSecret(paper.words, paper.components.values.map { $0[0] })
  }

  /// Two keys of one merchant, one of which has its certificate, and a key out of components.
  private func make(_ record: TerminalRecord) throws {
    let steps =
      Self.initialise + Self.merchantKey(Self.old) + Self.merchantKey(Self.new, "pre_active = true")
      + Self.importing
    let store = ["--store", scratch.path + "/keys"]
    let users = ["carol": "daemon", "dave": "bin", "erin": "games"]
    for (name, steps, sheets) in [("first", steps, 5), ("second", Self.unlock + Self.attach, 0)] {
      let session = try hold(
        ["rehearse", plan(name, steps, users: users), scratch.path + "/" + name] + store)
      #expect((session.code, session.sheets) == (0, sheets), "\(session.shown)")
      #expect(try verify(name).code == 4)
      record.keep(session.shown)
    }
  }

  private func rotate(_ pki: TestApplePKI, _ record: TerminalRecord) throws {
    let before = try certificate(of: Self.old, pki)
    let after = try certificate(of: Self.new, pki)
    let file = try scratch.write("new.pem", PEM.text("CERTIFICATE", after.der))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    func step(_ name: String, _ more: String...) throws -> TerminalRecord.Session {
      try record.hold(["key", "rotate", name, Self.old, Self.new] + more, as: Self.first)
    }
    let policy = ["--policy", scratch.path + "/policy.d"]
    record.expect(try open(before, pki, record), "4320")
    record.expect(try step("plan"), "NEXT")
    record.expect(try step("preflight", policy[0], policy[1]), code: 1, "certificate")
    record.expect(try record.hold(["key", "attach", Self.new, file], as: Self.first), "done")
    record.expect(try step("preflight", policy[0], policy[1]), "can take over")
    record.expect(try step("activate", policy[0], policy[1]), "there is no way back from that")
    record.expect(
      try step("retire", "--quiet", "0"), code: 1, "no token has come under \(Self.new) yet")
    record.expect(try open(after, pki, record), "4320")
    record.expect(try open(before, pki, record), "4320")
    record.expect(try step("retire", "--quiet", "0"), "late tokens under \(Self.old) still open")
    record.expect(try open(before, pki, record), "4320")
  }

  private func destroy(_ record: TerminalRecord) throws {
    let asked = try record.hold(["key", "destroy", Self.old], as: Self.first)
    #expect(asked.code == 1)
    let name = String(try #require(asked.shown.firstMatch(of: /kist approve ([0-9a-f]{8})/)).1)
    record.expect(
      try record.hold(["approve", name], as: Self.first), code: 1, "it is your own request")
    record.expect(try record.hold(["approve", name], as: Self.second), "approved \(name)")
    record.expect(try record.hold(["key", "destroy", Self.old], as: Self.first), "destroyed")
    record.expect(try record.hold(["key", "list"], as: Self.first), Self.new)
  }

  /// As Apple would make it of the key that the ceremony wrote.
  private func certificate(of label: String, _ pki: TestApplePKI) throws -> Certificate {
    let name = "REHEARSAL-" + (label.split(separator: "/").last ?? "") + ".pem"
    let pem = try String(contentsOfFile: scratch.path + "/first/outputs/" + name, encoding: .utf8)
    let spki = try #require(
      Base64.decode(pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()))
    let now = Timestamp(seconds: Int64(Date().timeIntervalSince1970))
    let builder = CertificateBuilder(
      subject: [
        .userID(Self.merchant), .commonName("Apple Pay Payment Processing:" + Self.merchant),
      ], serial: 7,
      notBefore: now.adding(seconds: -86_400), notAfter: now.adding(seconds: 780 * 86_400),
      extensions: [.basicConstraints(isCA: false), .merchantIdentifier(Self.merchant)])
    return try builder.issue(
      for: PublicKey(spki: spki), by: pki.root.certificate, signedWith: pki.root.key)
  }

  private func open(_ certificate: Certificate, _ pki: TestApplePKI, _ record: TerminalRecord)
    throws -> TerminalRecord.Session
  {
    let token = try TokenMint(pki).mint(
      TestPayment(), for: certificate,
      signedAt: Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
    let file = try scratch.write("token.json", String(decoding: token.json, as: UTF8.self))
    return try record.hold(["token", "open", file], as: nil)
  }
}
