import Foundation
import Testing

/// Nothing is asked of a daemon before every check has passed, and here there is none: a good file
/// fails at its socket.
@Suite struct KeyImportTests {
  private static let noDaemon =
    "kist key import: /nowhere.sock: No such file or directory; is kistd running, and is this its socket?\n"

  private func take(
    _ file: String, _ options: [String], role: String = "merchant-processing-ec",
    passphrase: String? = nil
  ) throws -> Transcript {
    let path = file == "-" ? file : "\(Kist.fixtures)/\(file)"
    let typed = passphrase == nil ? [] : ["--passphrase-fd", "0"]
    let all =
      [
        "key", "import", path, "--label", "merchant/acme/a", "--role", role, "--socket",
        "/nowhere.sock",
      ] + typed + options
    return try Kist.run(all, input: passphrase ?? "")
  }

  private static func certificate(_ name: String) -> [String] {
    ["--certificate", "\(Kist.fixtures)/\(name).pem"]
  }

  @Test(arguments: [
    ("ec-pkcs8.pem", certificate("merchant"), nil), ("ec-sec1.pem", certificate("merchant"), nil),
    ("ec-sec1.der", certificate("merchant"), nil),
    ("ec-pkcs8.pem", ["--merchant-id", "merchant.com.acme"], nil), ("bundle.pem", [], nil),
    ("bundle.pem", ["--merchant-id=merchant.com.acme"], nil),
    ("bundle.pem", ["--pre-active", "--json"], nil),
    ("ec-pbes2.pem", certificate("merchant"), "correct\n"),
    ("ec-pbes2.pem", certificate("merchant"), "correct"),
    ("keychain.p12", [], "correct\n"), ("keychain-empty.p12", [], nil),
    ("keychain-empty.p12", [], "\n"),
  ]) func aGoodFileGoesToTheDaemon(_ file: String, _ options: [String], _ passphrase: String?)
    throws
  {
    let output = options.contains("--json") ? #"{"ok":false,"status":"not-asked"}"# + "\n" : ""
    #expect(
      try take(file, options, passphrase: passphrase)
        == Transcript(code: 1, output: output, complaint: Self.noDaemon))
  }

  @Test func anRSAKey() throws {
    let answer = try take(
      "rsa-pkcs1.pem", ["--merchant-id", "merchant.com.acme"], role: "merchant-processing-rsa")
    #expect(answer == Transcript(code: 1, complaint: Self.noDaemon))
  }

  @Test func standardInput() throws {
    let arguments = [
      "key", "import", "-", "--label", "a/b", "--role", "merchant-processing-ec", "--socket",
      "/nowhere.sock",
    ]
    let text = try String(contentsOfFile: Kist.fixtures + "/bundle.pem", encoding: .utf8)
    #expect(try Kist.run(arguments, input: text) == Transcript(code: 1, complaint: Self.noDaemon))
    #expect(
      try Kist.run(arguments).complaint
        == "kist key import: -: neither a key nor a certificate; expected PEM or DER of PKCS#8, SEC1, PKCS#1 or PKCS#12\n"
    )
  }

  private static let convert = "convert it first: openssl pkcs8 -topk8 -v2 aes-256-cbc"
  private static let appleOID = "(extension 1.2.840.113635.100.6.32)"

  @Test(arguments: [
    ("absent.pem", [], nil, "absent.pem: No such file or directory"),
    (
      "make.sh", [], nil,
      "make.sh: neither a key nor a certificate; expected PEM or DER of PKCS#8, SEC1, PKCS#1 or PKCS#12"
    ),
    ("merchant.pem", [], nil, "merchant.pem: a certificate, and no private key"),
    ("two-keys.pem", [], nil, "two-keys.pem: more than one key; keep one"),
    (
      "ec-rc4.pem", [], "correct",
      "ec-rc4.pem: its encryption protects nothing any more; \(convert)"
    ),
    ("ec-pbes2.pem", [], "wrong", "ec-pbes2.pem: the passphrase is wrong"),
    ("ec-pbes2.pem", [], "", "ec-pbes2.pem: the passphrase is wrong"),
    ("keychain.p12", [], "wrong", "keychain.p12: the passphrase is wrong"),
    ("keychain.p12", [], "a\nb", "--passphrase-fd 0: more than one line"),
    (
      "keychain.p12", [], String(repeating: "a", count: 1025),
      "--passphrase-fd 0: longer than 1024 bytes"
    ),
    (
      "rsa-pkcs1.pem", [], nil,
      "rsa-pkcs1.pem: a key of role merchant-processing-ec cannot be RSA-2048"
    ),
    (
      "ec-pkcs8.pem", [], nil,
      "ec-pkcs8.pem: no certificate says whose key this is; give --certificate or --merchant-id"
    ),
    ("ec-pkcs8.pem", certificate("ec-pkcs8"), nil, "ec-pkcs8.pem: no certificate in it"),
    ("bundle.pem", certificate("absent"), nil, "absent.pem: No such file or directory"),
    (
      "ec-pkcs8.pem", certificate("merchant-of-other-key"), nil,
      "merchant-of-other-key.pem: the certificate is for another key than the one in \(Kist.fixtures)/ec-pkcs8.pem"
    ),
    (
      "ec-pkcs8.pem", certificate("merchant-of-other-hash"), nil,
      "merchant-of-other-hash.pem: the certificate's merchant identifier \(appleOID) is not SHA-256 of its subject's UID merchant.com.acme"
    ),
    (
      "ec-pkcs8.pem", certificate("merchant-without-extension"), nil,
      "merchant-without-extension.pem: the certificate has no merchant identifier \(appleOID); is it Apple's for a merchant?"
    ),
    (
      "ec-pkcs8.pem", certificate("merchant-without-uid"), nil,
      "merchant-without-uid.pem: the certificate's subject has no UID, which should be the merchant identifier"
    ),
    (
      "bundle.pem", ["--merchant-id", "merchant.com.other"], nil,
      "bundle.pem: the certificate is for merchant merchant.com.acme, not for merchant.com.other"
    ),
  ]) func theCheckThatFailedIsNamed(
    _ file: String, _ options: [String], _ passphrase: String?, _ complaint: String
  ) throws {
    let answer = try take(file, options, passphrase: passphrase)
    #expect(
      (answer.code, answer.output) == (
        complaint.hasSuffix("No such file or directory") ? 66 : 1, ""
      ))
    #expect(
      answer.complaint.replacingOccurrences(of: Kist.fixtures + "/", with: "")
        == "kist key import: \(complaint)\n".replacingOccurrences(of: Kist.fixtures + "/", with: "")
    )
  }

  @Test func withoutATerminalAPassphraseIsNotAskedFor() throws {
    let answer = try Kist.runDetached([
      "key", "import", Kist.fixtures + "/ec-pbes2.pem", "--label", "a/b", "--role",
      "merchant-processing-ec",
    ])
    #expect(
      answer
        == Transcript(
          code: 1,
          complaint:
            "kist key import: there is no terminal to type a secret at; give it with --passphrase-fd\n"
        ))
  }

  @Test(arguments: [
    ([], "FILE is missing"),
    (["f"], "--label is missing"),
    (["f", "--label", "a/b"], "--role is missing"),
    (["f", "--label", "A", "--role", "merchant-processing-ec"], "'A' is not a label: "),
    (
      ["f", "--label", "a", "--role", "audit-signing"],
      "unknown role 'audit-signing'; there are merchant-processing-ec, "
    ),
    (
      ["f", "--label", "a", "--role", "merchant-processing-ec", "--merchant-id", "a b"],
      "'a b' is not a merchant identifier: "
    ),
  ]) func whatMakesNoSense(_ arguments: [String], _ complaint: String) throws {
    let answer = try Kist.run(["key", "import"] + arguments)
    #expect(answer.code == 2)
    #expect(answer.complaint.hasPrefix("kist: \(complaint)"))
    #expect(answer.complaint.hasSuffix("\nTry 'kist key import --help'.\n"))
  }

  @Test func aBadDescriptor() throws {
    let arguments = [
      "key", "import", Kist.fixtures + "/ec-pbes2.pem", "--label", "a", "--role",
      "merchant-processing-ec", "--passphrase-fd",
    ]
    // A number that no other test can have open.
    let none = "2147483647"
    #expect(
      try Kist.run(arguments + [none])
        == Transcript(
          code: 66, complaint: "kist key import: --passphrase-fd \(none): Bad file descriptor\n"))
    #expect(
      try Kist.run(arguments + ["x"]).complaint.hasPrefix(
        "kist: --passphrase-fd takes a number from 0 to 2147483647, not 'x'\n"))
  }
}
