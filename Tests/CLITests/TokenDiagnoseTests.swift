import Ceremony
import Crypto
import Format
import Foundation
import TestSupport
import Testing

/// `kist token diagnose`, with a token that an independent program made and a certificate for its
/// key.
@Suite struct TokenDiagnoseTests {
  private let scratch: Scratch
  private let token, certificate, root: String

  init() throws {
    try #require(TestArena.ready)
    scratch = try Scratch()
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../ApplePayTests/Fixtures")
    let file = try Data(contentsOf: folder.appendingPathComponent("ec.json"))
    let json = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
    func text(_ name: String) throws -> String { try #require(json[name] as? String) }
    token = try scratch.write(
      "token.json",
      String(
        decoding: try JSONSerialization.data(withJSONObject: #require(json["token"])), as: UTF8.self
      ))
    root = try scratch.write("root.pem", Self.pem(try text("root")))
    let pkcs8 = try #require(Base64.decode(try text("privateKey")))
    let key = try PrivateKey(pkcs8DER: pkcs8.span)
    let builder = CertificateBuilder(
      subject: [
        .commonName("Apple Pay Payment Processing:merchant.test"), .userID("merchant.test"),
      ], serial: 1,
      notBefore: Timestamp(seconds: 1_767_225_600), notAfter: Timestamp(seconds: 1_832_889_600),
      extensions: [.merchantIdentifier("merchant.test")])
    let made = try builder.issue(for: try PublicKey(spki: key.spki), by: nil, signedWith: key)
    let der = Data(made.der).base64EncodedString()
    certificate = try scratch.write(
      "merchant.pem", "Bag Attributes\n    friendlyName: a\n" + Self.pem(der))
  }

  private static func pem(_ base64: String) -> String {
    "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
  }

  private func diagnose(_ options: String..., input: String = "") throws -> Transcript {
    try Kist.run(["token", "diagnose", token, "--root", root] + options, input: input)
  }

  @Test func aGoodToken() throws {
    let answer = try diagnose("--cert", certificate, "--at", "2026-11-20T09:30:00Z")
    #expect((answer.code, answer.complaint) == (0, ""))
    #expect(
      answer.output.hasPrefix("\(token): nothing is wrong with it\n  version          EC_v1\n"))
    #expect(answer.output.contains("  signed           2026-11-20T09:30:00Z\n"))
    #expect(
      answer.output.hasSuffix(
        "  its certificate  \(certificate): merchant.test, payment processing, 2026-01-01 to 2028-01-31\n"
      ))
    let json = try diagnose("--cert", certificate, "--at", "2026-11-20T09:30:00Z", "--json").output
    #expect(json.contains("\"ok\":true,\"problems\":[],\"public_key_hash\":\""))
  }

  @Test func severalCertificates() throws {
    let words = ["token", "diagnose", token, "--root", root, "--at", "2026-11-20T09:30:00Z"]
    let answer = try Kist.run(words + ["--cert", root, certificate])
    #expect(answer.code == 0)
    #expect(
      answer.output.contains("  another certificate  \(root): no merchant, unknown purpose, "))
    #expect(
      answer.output.contains(
        "  its certificate      \(certificate): merchant.test, payment processing, "))
    #expect(try Kist.run(words + ["--cert", root, "--cert", certificate]) == answer)
    let wrong = try Kist.run(words + ["--cert", root])
    #expect(wrong.code == 1)
    #expect(
      wrong.output.contains("\nThe token was made for the key of none of the certificates given.\n")
    )
  }

  @Test func aStaleToken() throws {
    let answer = try diagnose("--at", "2026-11-20T09:36:00Z")
    #expect(answer.code == 1)
    #expect(
      answer.output.contains(
        "\nSigned 6 minutes ago; the daemon takes a token for 5 minutes.\n  Open tokens when they are made;"
      ))
    #expect(try diagnose("--at", "2026-11-20T09:36:00Z", "--window", "360").code == 0)
    #expect(
      try diagnose("--at", "2026-11-20T09:36:00Z", "--json").output.contains(
        "\"problems\":[{\"name\":\"stale\",\"remedy\":\"Open "))
  }

  @Test func aTokenOfAnotherRoot() throws {
    let answer = try Kist.run(["token", "diagnose", token, "--at", "2026-11-20T09:30:00Z"])
    #expect(answer.code == 1)
    #expect(answer.output.contains("  signed     2026-11-20T09:30:00Z, unproven\n"))
    #expect(
      answer.output.contains(
        "\nThe signer's chain does not end at the trusted root.\n  A test PKI made it, or nobody did: "
      ))
  }

  @Test func aSimulatorsToken() throws {
    let answer = try Kist.run(
      ["token", "diagnose", "-"],
      input: "{\"version\":\"EC_v1\",\"data\":\"\",\"signature\":\"\",\"header\":{}}")
    #expect(answer.code == 1)
    #expect(answer.output.hasPrefix("-: 1 thing is wrong\n\nApple's simulator made this token"))
  }

  @Test func whatCannotBeRead() throws {
    #expect(
      try diagnose("--cert", token)
        == Transcript(
          code: 1,
          complaint:
            "kist token diagnose: \(token): neither a key nor a certificate; expected PEM or DER of PKCS#8, SEC1, PKCS#1 or PKCS#12\n"
        ))
    #expect(
      try Kist.run(["token", "diagnose", "/nowhere"])
        == Transcript(
          code: 66, complaint: "kist token diagnose: /nowhere: No such file or directory\n"))
    #expect(
      try Kist.run(["token", "diagnose", token, "--root", certificate]).complaint.hasSuffix(
        "not a root certificate, since it may not sign others\n"))
    #expect(try diagnose("--at", "yesterday").code == 2)
    #expect(try diagnose("--window", "-1").code == 2)
  }
}
