import Audit
import Format
import Foundation
import KeyStore
import KistClient
import TestSupport
import Testing

/// What stands in for the PANs of opened tokens, at a real daemon.
@Suite(.serialized, .enabled(if: Oracle.isPresent, "needs ../shared/oracle"))
struct StandInTokensTests {
  private static let merchant = "merchant.com.example.oracle"
  private static let keys: [(label: String, role: KeyRole)] = [
    ("pan/surrogate", .surrogate), ("pan/envelope", .sealing),
  ]
  private static let configured = """
    [[merchant]]
    identifier = "\(merchant)"
    surrogate_key = "pan/surrogate"
    envelope_key = "pan/envelope"
    envelope_lifetime = "10m"

    """

  @Test(
    "[OP-SURR-7] [OP-SURR-9] [OP-ENV-1] a token gives a surrogate and an envelope, which another grant opens, and no PAN is written anywhere"
  )
  func opens() throws {
    let oracle = try Oracle(count: 12)
    let daemon = try oracle.daemon(
      policy: Self.policy(["surrogate", "envelope", "last4"]), extra: Self.configured,
      symmetricKeys: Self.keys)
    let client = try Client(daemon.services)
    let ids = Dictionary(uniqueKeysWithValues: try client.listKeys().map { ($0.label, $0.id) })
    let surrogateKey = try #require(ids["pan/surrogate"])
    let envelopeKey = try #require(ids["pan/envelope"])
    var secrets: [String] = []
    for (index, pan) in [(2, "4000000000000002"), (10, "4000000000000010")] {
      let token = oracle.tokens[index].token
      let opened = try client.openPaymentToken(token)
      #expect(
        opened.withField(.dpan, text) == "" && opened.withField(.last4, text) == pan.suffix(4))
      let surrogate = opened.withField(.surrogate, text)
      let envelope = opened.withField(.envelope) { $0.array }
      #expect(surrogate.count == 16 && surrogate != pan)
      #expect(
        try client.surrogate(
          ofPAN: Array(pan.utf8).span, merchant: Self.merchant, withKey: surrogateKey) == surrogate)
      let fromSurrogate = try client.pan(
        ofSurrogate: surrogate, merchant: Self.merchant, withKey: surrogateKey)
      #expect(fromSurrogate.withDigits(text) == pan)
      let fromEnvelope = try client.openEnvelope(
        envelope, merchant: Self.merchant, transactionID: token.transactionID, withKey: envelopeKey)
      #expect(
        fromEnvelope.withField(.dpan, text) == pan && fromEnvelope.withField(.last4, text) == ""
          && fromEnvelope.signingTime == opened.signingTime)
      #expect {
        _ = try client.openEnvelope(
          envelope, merchant: Self.merchant, transactionID: token.publicKeyHash,
          withKey: envelopeKey
        ).auditSequence
      } throws: {
        refusal("rejected", "envelope")($0)
      }
      secrets += [pan, surrogate, Hex.encode(envelope)]
    }
    let openings = try daemon.records().filter { $0.operation == "open-payment-token" }
    #expect(
      openings.map(\.released) == [
        ["last4", "surrogate", "envelope"], ["last4", "surrogate", "envelope"],
      ])
    #expect(
      openings.map { $0.furtherKeys.map(\.bytes) } == [
        [surrogateKey, envelopeKey], [surrogateKey, envelopeKey],
      ])
    #expect(try client.describeKey(envelopeKey).uses == 4)
    try Self.expectNothing(of: secrets, in: daemon)
  }

  @Test("[OP-ENV-5] an envelope that opens once is used after the daemon was killed, too")
  func once() throws {
    let oracle = try Oracle(count: 4)
    let once = Self.configured + "envelope_one_use = true\n"
    let daemon = try oracle.daemon(
      policy: Self.policy(["envelope"]), extra: once, symmetricKeys: Self.keys)
    let client = try Client(daemon.services)
    let key = try #require(try client.listKeys(prefix: "pan/envelope").first).id
    func sealed(_ index: Int) throws -> (envelope: [UInt8], transaction: [UInt8]) {
      let token = oracle.tokens[index].token
      return (
        try client.openPaymentToken(token).withField(.envelope) { $0.array }, token.transactionID
      )
    }
    let used = try sealed(2)
    let unused = try sealed(3)
    #expect {
      _ = try client.openEnvelope(
        used.envelope, merchant: Self.merchant, transactionID: used.transaction, required: [.eci],
        withKey: key
      ).amount
    } throws: { refusal("rejected", "not-released")($0) }
    #expect(
      try client.openEnvelope(
        used.envelope, merchant: Self.merchant, transactionID: used.transaction, withKey: key
      ).withField(.dpan, text) != "")
    daemon.killHard()
    let restarted = try daemon.restarted()
    defer { restarted.stop() }
    let again = try Client(restarted.services)
    #expect {
      _ = try again.openEnvelope(
        used.envelope, merchant: Self.merchant, transactionID: used.transaction, withKey: key
      ).amount
    } throws: { refusal("rejected", "envelope-used")($0) }
    #expect(
      try again.openEnvelope(
        unused.envelope, merchant: Self.merchant, transactionID: unused.transaction, withKey: key
      ).withField(.dpan, text) != "")
  }

  @Test("[OP-SURR-9] uses beside a merchant's key are counted again after a crash") func counts()
    throws
  {
    let oracle = try Oracle(count: 3)
    let daemon = try oracle.daemon(
      policy: Self.policy(["surrogate"]), extra: Self.configured, symmetricKeys: Self.keys)
    _ = try Client(daemon.services).openPaymentToken(oracle.tokens[2].token).auditSequence
    daemon.killHard()
    let again = try daemon.restarted()
    #expect(try Client(again.services).listKeys(prefix: "pan/").map(\.uses) == [0, 1])
  }

  @Test(
    "[OP-SURR-7] without a key, with one of another role, or that is not there, the token is rejected and can be opened later",
    arguments: [
      "", "surrogate_key = \"pan/nothing\"", "surrogate_key = \"pan/envelope\"",
      "envelope_key = \"pan/envelope\"",
    ]) func noKey(_ line: String) throws
  {
    let oracle = try Oracle(count: 3)
    let extra = "[[merchant]]\nidentifier = \"\(Self.merchant)\"\n\(line)\n"
    let daemon = try oracle.daemon(
      policy: Self.policy(["surrogate", "last4"]), extra: extra, symmetricKeys: Self.keys)
    let client = try Client(daemon.services)
    let token = oracle.tokens[2].token
    #expect { _ = try client.openPaymentToken(token).auditSequence } throws: {
      refusal("rejected", "stand-in-key")($0)
    }
    #expect(try client.openPaymentToken(token, fields: [.last4]).withField(.last4, text) == "0002")
  }

  @Test("[OP-SURR-7] a DPAN with a wrong check digit has no surrogate, and does have an envelope")
  func checkDigit() throws {
    let oracle = try Oracle(count: 2)
    let daemon = try oracle.daemon(
      policy: Self.policy(["surrogate", "envelope"]), extra: Self.configured,
      symmetricKeys: Self.keys)
    let client = try Client(daemon.services)
    let token = oracle.tokens[1].token
    #expect { _ = try client.openPaymentToken(token).auditSequence } throws: {
      refusal("rejected", "pan")($0)
    }
    #expect(
      try client.openPaymentToken(token, fields: [.envelope]).withField(.envelope) { $0.isEmpty }
        == false)
  }

  @Test(
    "[OP-SURR-10] [OP-SURR-11] surrogates have the merchant's format; a token whose PAN the format leaves out can be opened later"
  ) func formats() throws {
    let oracle = try Oracle(count: 3)
    let daemon = try oracle.daemon(
      policy: Self.policy(["surrogate", "last4"]),
      extra: Self.configured + "surrogate_format = { prefix = \"90\", length = 19 }\n",
      symmetricKeys: Self.keys)
    let client = try Client(daemon.services)
    let surrogate = try client.openPaymentToken(oracle.tokens[2].token).withField(.surrogate, text)
    #expect(surrogate.count == 19 && surrogate.hasPrefix("90") && surrogate.hasSuffix("0002"))
    let key = try #require(try client.listKeys(prefix: "pan/surrogate").first).id
    #expect(
      try client.pan(ofSurrogate: surrogate, merchant: Self.merchant, withKey: key).withDigits(text)
        == "4000000000000002")

    let narrow = try oracle.daemon(
      policy: Self.policy(["surrogate", "last4"]),
      extra: Self.configured + "surrogate_format = { prefix = \"4\" }\n", symmetricKeys: Self.keys)
    let other = try Client(narrow.services)
    #expect { _ = try other.openPaymentToken(oracle.tokens[2].token).auditSequence } throws: {
      refusal("rejected", "pan")($0)
    }
    #expect(
      try other.openPaymentToken(oracle.tokens[2].token, fields: [.last4]).withField(.last4, text)
        == "0002")
  }

  /// - Parameter release: of what is opened.
  private static func policy(_ release: [String]) -> String {
    """
    [[grant]]
    id = "shop"
    users = [\(getuid())]
    operations = ["open-payment-token"]
    keys = ["merchant/*"]
    release = [\(release.map { "\"\($0)\"" }.joined(separator: ", "))]
    \(release.contains("envelope") ? "envelope = [\"dpan\", \"expiry\", \"cryptogram\"]" : "")
    stages = true
    [[grant]]
    id = "vault"
    users = [\(getuid())]
    operations = ["list-keys", "describe-key", "tokenise", "detokenise", "open-envelope"]
    keys = ["pan/*"]
    release = ["dpan"]
    stages = true
    rate = "1000/s"
    """
  }

  /// Everything that the daemon wrote: its files and its standard error.
  private static func expectNothing(of secrets: [String], in daemon: TestDaemon) throws {
    #expect(daemon.stop() == 0)
    var written = [daemon.readErrors()]
    for folder in ["audit", "state"] {
      let files = try #require(
        FileManager.default.enumerator(
          at: daemon.directory.appending(path: folder),
          includingPropertiesForKeys: [.isRegularFileKey]))
      for case let file as URL in files
      where try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
        written.append(String(decoding: try Data(contentsOf: file), as: UTF8.self))
      }
    }
    for secret in secrets { #expect(!written.contains { $0.contains(secret) }) }
  }
}
