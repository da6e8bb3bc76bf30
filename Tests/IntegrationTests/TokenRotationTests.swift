import Audit
import Ceremony
import Crypto
import Format
import Foundation
import KistClient
import Sandbox
import TestSupport
import Testing

/// A merchant changes its key as Apple's certificates end: two keys side by side, tokens for both,
/// and an end of the old one.
@Suite struct TokenRotationTests {
  private static let merchant = "merchant.com.acme"
  private static let (old, new) = ("merchant/acme/2024", "merchant/acme/2026")

  private let daemon: TestDaemon
  private let pki: TestApplePKI
  /// The daemon's: three days and an hour ago, so that the last token is of then.
  private let clock = Timestamp(seconds: Int64(Date().timeIntervalSince1970)).adding(
    seconds: -3 * 86_400 - 3600)

  init() throws {
    try #require(TestArena.ready)
    let policy = """
      [[grant]]
      id = "officer"
      users = [\(getuid())]
      operations = [
        "list-keys", "describe-key", "generate-key", "certificate-request", "attach-certificate", "activate-key", "retire-key", "destroy-key",
      ]
      keys = ["*"]
      [[grant]]
      id = "shop"
      users = [\(getuid())]
      operations = ["open-payment-token"]
      keys = ["merchant/acme/*"]
      release = ["last4"]
      """
    pki = try TestApplePKI.make()
    daemon = try TestDaemon(
      TestDaemon.Options(root: pki.root.certificate.der, clock: clock.wholeSeconds, policy: policy))
  }

  @Test(
    "from the plan to the end of the old key: tokens of both go on, each under its own, and all is on the record",
    arguments: ["merchant-processing-ec", "merchant-processing-rsa"]) func life(_ role: String)
    throws
  {
    defer { daemon.stop() }
    let first = try certified(Self.old, role, endingIn: 20)
    try expect("key", "activate", Self.old)
    #expect(try open(first) == "ok")

    try expect(
      "rotate", "plan",
      showing:
        "NEXT  1. kist key generate --label \(Self.new) --role \(role) --merchant-id \(Self.merchant)\n"
    )
    let second = try certified(Self.new, role, endingIn: 780)
    #expect(
      try open(second) == "denied", "its certificate is not active at Apple, and the key not here")
    try expect(
      "rotate", "plan", showing: "done  3. kist key attach", "NEXT  4. kist key rotate preflight")
    try expect(
      "rotate", "preflight", showing: "ok     the new key ends later",
      "\(Self.new) can take over: kist key rotate activate")
    #expect(try open(second) == "denied")
    try expect("rotate", "activate", showing: "activate the certificate of \(Self.new) at Apple")
    // A request for a certificate is no token: the old key stays until there was one under the new.
    try expect("rotate", "plan", showing: "NEXT  6. activate the certificate at Apple")
    try expect(
      "rotate", "retire", "--quiet", "0",
      failing: "no token has come under \(Self.new) yet: is its certificate active at Apple?")

    #expect(try [open(second), open(first), open(second)] == ["ok", "ok", "ok"])
    try expect("rotate", "plan", showing: "done  6. activate", "NEXT  7. kist key rotate retire")
    try expect(
      "rotate", "retire",
      showing: "last token under \(Self.old): \(clock.wholeSeconds), 3 days ago; 2 in all\n",
      failing: "\(Self.old) had a token 3 days ago; wait until it has been quiet for 7 days")
    #expect(try describe(Self.old).state == "active")
    try expect(
      "rotate", "retire", "--quiet", "2",
      showing: "last token under \(Self.old): \(clock.wholeSeconds), 3 days ago; 2 in all\n")
    try expect("rotate", "plan", showing: "done  7. kist key rotate retire")

    // Whoever got a token under the old certificate is still served, until the key is destroyed.
    #expect(try [open(first), open(second)] == ["ok", "ok"])
    try expect("key", "csr", Self.old, failing: "the key is retired; Apple wants a new one")
    try expect("key", "destroy", Self.old)
    #expect(try [open(first), open(second)] == ["denied", "ok"])
    try expectRecord()
  }

  @Test(
    "after a crash the last token is read from the log, and a request for a certificate still is none"
  ) func crash() throws {
    let certificate = try certified(Self.old, "merchant-processing-ec", endingIn: 20)
    try expect("key", "activate", Self.old)
    #expect(try open(certificate) == "ok")
    try expect("key", "csr", Self.old)
    daemon.killHard()
    let again = try daemon.restarted()
    defer { again.stop() }
    let key = try describe(Self.old)
    #expect((key.uses, key.lastUse) == (1, clock.seconds))
    try expect("rotate", "plan", showing: "\(clock.wholeSeconds)  1\n")
  }

  /// Every step in its order, which key it was about, who asked for it, and what came of each
  /// token.
  private func expectRecord() throws {
    let records = try daemon.records()
    let changes = records.filter { $0.operation.hasPrefix("key-") && $0.label != nil }
    let steps = ["key-generated", "key-certified", "key-activated"]
    #expect(changes.map(\.operation) == steps + steps + ["key-retired", "key-destroyed"])
    #expect(
      changes.map(\.label) == [
        Self.old, Self.old, Self.old, Self.new, Self.new, Self.new, Self.old, Self.old,
      ])
    let tokens = records.filter { $0.operation == "open-payment-token" }
    #expect(
      tokens.map(\.result) == [
        "ok", "denied", "denied", "ok", "ok", "ok", "ok", "ok", "denied", "ok",
      ])
    let requests = records.filter {
      ["generate-key", "attach-certificate", "activate-key", "retire-key", "destroy-key"].contains(
        $0.operation)
    }
    #expect(
      requests.count == 8
        && requests.allSatisfy { $0.result == "ok" && $0.actor?.uid == Int64(getuid()) })
  }

  /// A new key in the daemon, with the certificate that Apple would make of its request.
  private func certified(_ label: String, _ role: String, endingIn days: Int64) throws
    -> Certificate
  {
    try expect("key", "generate", "--label", label, "--role", role, "--merchant-id", Self.merchant)
    try expect("key", "csr", label, showing: "-----BEGIN CERTIFICATE REQUEST-----")
    let spki = try describe(label).publicKey
    let key = try PublicKey(spki: spki.span)
    let builder = CertificateBuilder(
      subject: [
        .userID(Self.merchant), .commonName("Apple Pay Payment Processing:" + Self.merchant),
      ], serial: UInt64(days),
      notBefore: clock.adding(seconds: -86_400), notAfter: clock.adding(seconds: days * 86_400),
      extensions: [.basicConstraints(isCA: false), .merchantIdentifier(Self.merchant)])
    let certificate = try builder.issue(
      for: key, by: pki.root.certificate, signedWith: pki.root.key)
    let file = daemon.directory.appendingPathComponent("apple.cer")
    try Data(certificate.der).write(to: file)
    try expect("key", "attach", label, file.path)
    return certificate
  }

  private func describe(_ label: String) throws -> Key {
    let client = try Client(daemon.operators)
    return try client.describeKey(try #require(try client.listKeys(prefix: label).first).id)
  }

  /// What comes of a fresh token for a certificate's key.
  private func open(_ certificate: Certificate) throws -> String {
    let minted = try TokenMint(pki).mint(TestPayment(), for: certificate, signedAt: clock)
    let token = try PaymentToken(appleJSON: minted.json)
    return outcome { _ = try Client(daemon.services).openPaymentToken(token).auditSequence }
  }

  /// Runs `kist key`, or a step of `kist key rotate` with the two keys.
  private func expect(
    _ words: String..., showing texts: String..., failing message: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    var words = words
    if words[0] == "rotate" {
      words = ["key", "rotate", words[1], Self.old, Self.new] + words.dropFirst(2)
      if ["preflight", "activate"].contains(words[2]) {
        words += ["--policy", daemon.directory.path + "/policy.d"]
      }
    }
    let end = try Terminal(
      [TestDaemon.executable("kist").path] + words + ["--socket", daemon.operators.path]
    ).end()
    #expect(end.code == (message == nil ? 0 : 1), "\(end.text)", sourceLocation: location)
    for text in texts + (message.map { [$0] } ?? []) {
      #expect(end.text.contains(text), "\(end.text)", sourceLocation: location)
    }
  }
}
