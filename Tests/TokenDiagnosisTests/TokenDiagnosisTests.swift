import ApplePay
import Ceremony
import Crypto
import Doctor
import Format
import KistClient
import TestSupport
import Testing

@Suite("Diagnosis of tokens that an independent program made")
struct TokenDiagnosisTests {
  /// What only the merchant's private key can show.
  private static let hidden = ["tag", "plaintext", "expectation", "public-key-hash"]

  @Test(
    "finds nothing wrong with good ones",
    arguments: DiagnosedToken.fixtures.filter { $0.stage == "ok" })
  func good(_ token: DiagnosedToken) throws {
    let found = try token.diagnose([try Self.certificate(for: token.key())])
    #expect(found.problems == [])
    #expect(found.isSigned)
    #expect(found.signingTime == token.clock)
    #expect(found.certificates.map(\.isTokens) == [true])
  }

  @Test(
    "names the check that Apple's signature fails at",
    arguments: DiagnosedToken.fixtures.filter { $0.stage != "ok" })
  func refused(_ token: DiagnosedToken) throws {
    let names = try token.diagnose().problems.map(\.name)
    switch token.stage {
    case "key-agreement":
      #expect(names == (token.name.hasPrefix("ephemeral") ? ["ephemeral-key"] : []))
    case "signing-time": #expect(names == (token.name == "stale" ? ["stale"] : ["from-the-future"]))
    case let stage where Self.hidden.contains(stage): #expect(names == [])
    default: #expect(names.first == "signature-" + token.stage)
    }
  }

  @Test(
    "takes a token for as long as the window is",
    arguments: [(300, 0), (301, 1), (-300, 0), (-301, 1)] as [(Int64, Int)])
  func age(_ later: Int64, _ problems: Int) throws {
    #expect(try DiagnosedToken.fixture("ec").diagnose(later: later).problems.count == problems)
  }

  @Test("says how stale a token is")
  func stale() throws {
    let token = try DiagnosedToken.fixture("ec")
    #expect(
      try token.diagnose(later: 3 * 86_400).problems == [.stale(seconds: 3 * 86_400, window: 300)])
    #expect(
      try token.diagnose(later: 3 * 86_400).problems[0].sentence
        == "signed 3 days ago; the daemon takes a token for 5 minutes")
    #expect(
      try token.diagnose(later: -4000).problems == [.fromTheFuture(seconds: 4000, window: 300)])
  }

  @Test("sees application data that was not signed")
  func applicationData() throws {
    let added = try DiagnosedToken.fixture("ec").replacing(
      "applicationData", with: String(repeating: "0", count: 64))
    #expect(try added.diagnose().problems == [.unsignedApplicationData])
    let changed = try DiagnosedToken.fixture("ec-application-data").replacing(
      "applicationData", with: String(repeating: "0", count: 64))
    #expect(try changed.diagnose().problems.map(\.name) == ["signature-message-digest"])
    let dropped = try DiagnosedToken.fixture("ec-application-data").replacing(
      "applicationData", with: nil)
    #expect(try dropped.diagnose().problems.map(\.name) == ["signature-message-digest"])
  }

  @Test("a size that is wrong hides no signature that is") func sizeAndSignature() throws {
    let token = try DiagnosedToken.fixture("ec")
    let id = try token.member("transactionId")
    let cut = try token.replacing("transactionId", with: String(id.dropLast(2)))
    #expect(try cut.diagnose().problems == [.size(.transactionID, 31)])
    let elsewhere = DiagnosedToken(
      name: cut.name, text: cut.text, root: nil, clock: cut.clock, stage: cut.stage,
      certificate: cut.certificate, privateKey: cut.privateKey)
    #expect(try elsewhere.diagnose().problems == [.size(.transactionID, 31), .signature(.chain)])
  }

  @Test("names every member that is malformed") func allMembers() throws {
    let token = try DiagnosedToken.fixture("ec").replacing("data", with: "*").replacing(
      "transactionId", with: "x"
    ).replacing("publicKeyHash", with: nil)
    #expect(
      try token.diagnose().problems == [
        .text(.malformed(.data)), .text(.missing(.publicKeyHash)),
        .text(.malformed(.transactionID)),
      ])
  }

  @Test(
    "names fields of the wrong size",
    arguments: ["data", "ephemeralPublicKey", "publicKeyHash", "transactionId"])
  func size(_ member: String) throws {
    let problems = try DiagnosedToken.fixture("ec").replacing(
      member, with: member == "transactionId" ? "00" : "AA=="
    ).diagnose().problems
    #expect(problems.first?.name == "size")
    #expect(problems.first?.sentence.hasPrefix("'\(member)' has 1 byte; Apple's have ") == true)
  }

  @Test(
    "names what is no token",
    arguments: [
      ("", "nothing"), (" \n", "nothing"), ("{\"order\":7}", "other-json"), ("{", "not-json"),
      ("{}", "simulator"), ("{\"version\":\"EC_v2\"}", "version"),
    ])
  func text(_ text: String, _ name: String) throws {
    var token = try DiagnosedToken.fixture("ec")
    token.text = Array(text.utf8)
    let found = try token.diagnose()
    #expect(found.problems.first?.name == name)
    #expect(found.version == nil)
  }

  @Test("knows a simulator's token, and a member that was lost")
  func simulator() throws {
    let token = try DiagnosedToken.fixture("ec")
    #expect(try token.replacing("data", with: "").diagnose().problems == [.text(.empty(.data))])
    #expect(
      try token.replacing("signature", with: "").diagnose().problems == [.text(.empty(.signature))])
    #expect(
      try token.replacing("data", with: "").replacing("signature", with: "").diagnose().problems
        == [.text(.simulator)])
    #expect(
      try token.replacing("publicKeyHash", with: nil).diagnose().problems == [
        .text(.missing(.publicKeyHash))
      ])
    #expect(
      try token.replacing("transactionId", with: "hex").diagnose().problems == [
        .text(.malformed(.transactionID))
      ])
  }

  @Test("with any byte of the signature changed finds something wrong, and what it says is whole")
  func mutations() throws {
    let token = try DiagnosedToken.fixture("ec")
    let signature = try #require(Base64.decode(try token.member("signature")))
    for i in stride(from: 0, to: signature.count, by: 5) {
      var changed = signature
      changed[i] ^= 1 << (i % 8)
      let problems = try token.replacing("signature", with: Base64.encode(changed.span)).diagnose()
        .problems
      #expect(!problems.isEmpty, "byte \(i)")
      #expect(
        problems.allSatisfy {
          !$0.sentence.isEmpty && !$0.sentence.hasSuffix(".") && $0.remedy.hasSuffix(".")
        })
    }
  }

  static func certificate(
    for key: PrivateKey, _ commonName: String = "Apple Pay Payment Processing:merchant.test"
  ) throws -> Certificate {
    let moment = try #require(Timestamp("2026-01-01T00:00:00Z"))
    let builder = CertificateBuilder(
      subject: [.commonName(commonName), .userID("merchant.test")], serial: 1, notBefore: moment,
      notAfter: moment.adding(seconds: 760 * 86_400),
      extensions: [.merchantIdentifier("merchant.test")])
    return try builder.issue(for: try PublicKey(spki: key.spki), by: nil, signedWith: key)
  }
}
