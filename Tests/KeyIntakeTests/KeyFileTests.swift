import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import Ceremony

/// What came of a file, in one line.
private func outcome(
  _ file: [UInt8], _ passphrase: [UInt8]?, _ old: PrivateKeyFile.OldAlgorithms = .accepted
) -> String {
  do throws(KeyFileError) {
    let imported = try open(file, passphrase, old)
    let kind = imported.key.map { "\($0.kind)" } ?? "no key"
    return "\(kind), \(imported.certificates.count) certificates"
  } catch { return "\(error)" }
}

private func open(_ file: [UInt8], _ passphrase: [UInt8]?, _ old: PrivateKeyFile.OldAlgorithms)
  throws(KeyFileError) -> ImportedKey
{
  guard let passphrase else {
    return try PrivateKeyFile.decode(file.span, passphrase: nil, oldAlgorithms: old)
  }
  return try PrivateKeyFile.decode(file.span, passphrase: passphrase.span, oldAlgorithms: old)
}

@Suite(.enabled(if: Vectors.present, "no test vectors")) struct KeyFileVectors {
  /// `kist` has 1 MiB for it.
  @Test func aPKCS12FileNeedsLittleStack() throws {
    try #require(TestArena.ready)
    let depth = try StackDepth.of {
      for (path, entry) in try index("pkcs12/") {
        _ = outcome(try bytes(path), (entry["password"] as? String).map { Array($0.utf8) })
      }
    }
    print("soak: stack of a PKCS #12 import = \(depth)")
    #expect(depth <= 1 << 18)
  }

  /// Every PKCS #12 file with the password that `INDEX.json` gives; those that have one, also with
  /// another and with none.
  @Test func pkcs12() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (path, entry) in try index("pkcs12/") {
      let file = try bytes(path)
      tally.add("longer: " + outcome(file + [0], nil))
      tally.add("shorter: " + outcome(file.dropLast(), nil))
      guard let password = entry["password"] as? String else {
        tally.add("unprotected: " + outcome(file, nil))
        tally.add("unprotected, empty: " + outcome(file, []))
        continue
      }
      tally.add("right: " + outcome(file, Array(password.utf8)))
      tally.add("wrong: " + outcome(file, Array("wrong".utf8)))
      tally.add("none: " + outcome(file, nil))
    }
    // The certificate refused is a DSA authority in a truststore.
    #expect(
      tally.counts == [
        "right: p256, 1 certificates": 3, "right: p256, 0 certificates": 1,
        "right: p256, 3 certificates": 7,
        "right: no key, 1 certificates": 1, "right: no key, 2 certificates": 5,
        "wrong: wrongPassphrase": 17,
        "none: passphraseNeeded": 17, "longer: malformed": 31, "shorter: malformed": 31,
        "unprotected: p256, 1 certificates": 1,
        "unprotected: p256, 3 certificates": 7,
        "unprotected: no key, 2 certificates": 5, "unprotected: invalidCertificate": 1,
        "unprotected, empty: p256, 1 certificates": 1,
        "unprotected, empty: p256, 3 certificates": 7,
        "unprotected, empty: no key, 2 certificates": 5,
        "unprotected, empty: invalidCertificate": 1,
      ])
  }

  /// RC2 certificate bags, as Keychain exports them, open only on request.
  @Test func oldAlgorithmsOnRequestOnly() throws {
    try #require(TestArena.ready)
    for (name, password) in [("cert-rc2-key-3des", "cryptography"), ("no-password", "")] {
      let file = try bytes("pkcs12/\(name).p12")
      #expect(outcome(file, Array(password.utf8), .refused) == "legacyEncryption")
      #expect(outcome(file, Array(password.utf8), .accepted) == "p256, 1 certificates")
      #expect(outcome(file, Array(password.utf8), .refused) == "legacyEncryption")
      let imported = try open(file, Array(password.utf8), .accepted)
      #expect(imported.certificate?.subjectCommonName == "cryptography CA")
    }
  }

  /// Every PKCS #8 and PEM file with the password that `INDEX.json` gives.
  @Test func pkcs8AndPEM() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (path, entry) in try index("pkcs8/") + index("pem/") {
      let password = entry["password"] as? String
      let opens = entry["opens"] as? Bool ?? false
      tally.add(
        (opens ? "opens: " : "broken: ") + outcome(try bytes(path), password.map { Array($0.utf8) })
      )
    }
    #expect(
      tally.counts == [
        "opens: p256, 0 certificates": 7, "opens: ed25519, 0 certificates": 2,
        "opens: rsa(bits: 2048), 0 certificates": 6,
        // PBES1, PKCS #12 schemes, RC2, RC4 and DEK-Info
        "opens: weakEncryption": 21,
        // RSA of 1024 bits, and RSASSA-PSS
        "opens: invalidKey": 9,
        "broken: weakEncryption": 6, "broken: unsupportedEncryption": 5, "broken: invalidKey": 11,
        "broken: malformed": 2,
        "broken: notAKeyFile": 2,
      ])
  }

  /// Row by row: key and certificates are those that `INDEX.json` says, or the file is one that we
  /// refuse on purpose.
  @Test func everyFileIsWhatTheIndexSays() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (path, entry) in try index("pkcs12/") + index("pkcs8/") + index("pem/") {
      let password = (entry["password"] as? String).map { Array($0.utf8) }
      let opens = entry["opens"] as? Bool ?? false
      let file = try bytes(path)
      do throws(KeyFileError) {
        let imported = try open(file, password, .accepted)
        #expect(opens && Self.refusedOnPurpose[path] == nil, "\(path)")
        #expect(imported.key.map { Self.name($0.kind) } == entry["key"] as? String, "\(path)")
        #expect(
          imported.certificates.count == (entry["extra"] as? Int ?? 0)
            + (entry["cert"] is String ? 1 : 0),
          "\(path)")
        #expect(
          (imported.certificate?.subjectCommonName).map { "CN=\($0),C=US" } == entry["cert"]
            as? String, "\(path)")
        tally.add("as the index says")
      } catch {
        guard opens else {
          tally.add("refused, as by the index")
          continue
        }
        #expect(Self.refusedOnPurpose[path] == error, "\(path): \(error)")
        tally.add("refused on purpose")
      }
    }
    #expect(
      tally.counts == [
        "as the index says": 45, "refused, as by the index": 26, "refused on purpose": 31,
      ])
  }

  /// What the index's program opens and we do not, and why.
  private static let refusedOnPurpose: [String: KeyFileError] = {
    // PBES1, PKCS #12's schemes, RC2 and RC4; then keys under a header (RFC 1421), whose key is one
    // pass of MD5.
    let weak =
      [
        "pkcs8/enc-ec-sha1-128-rc4.pem", "pkcs8/rsa-40bitrc2.pem",
        "pkcs8/rsa-pbe-3des-long-salt.pem", "pkcs8/rsa-rc2-cbc.pem",
        "pkcs8/enc-rsa-pkcs8.pem", "pkcs8/der/enc-rsa-pkcs8.der",
        "pem/ec_private_key_encrypted.pem", "pem/rsa_private_key.pem",
        "pem/traditional/key1.pem", "pem/traditional/key2.pem",
        "pem/traditional/testrsa-encrypted.pem",
      ]
      + [9607, 9671, 9925, 9926, 9927, 9928, 9929, 9930, 9931, 9932].map {
        "pkcs8/pkcs12_s2k_pem-X_\($0).pem"
      }
    // RSA of 1024 bits; and keys for RSASSA-PSS alone.
    let keys = [
      "pkcs8/unenc-rsa-pkcs8.pem", "pkcs8/enc2-rsa-pkcs8.pem", "pkcs8/der/unenc-rsa-pkcs8.der",
      "pkcs8/der/enc2-rsa-pkcs8.der", "pkcs8/rsa_pss_2048.pem",
      "pkcs8/rsa_pss_2048_hash.pem", "pkcs8/rsa_pss_2048_hash_mask.pem",
      "pkcs8/rsa_pss_2048_hash_mask_diff.pem", "pkcs8/rsa_pss_2048_hash_mask_salt.pem",
    ]
    var refused = Dictionary(
      uniqueKeysWithValues: weak.map { ($0, KeyFileError.weakEncryption) }
        + keys.map { ($0, .invalidKey) })
    // A truststore with a DSA authority.
    refused["pkcs12/java-truststore.p12"] = .invalidCertificate
    return refused
  }()

  private static func name(_ kind: KeyKind) -> String {
    switch kind {
    case .p256: "ECPrivateKey secp256r1"
    case .p384: "ECPrivateKey secp384r1"
    case .rsa(let bits): "RSAPrivateKey \(bits)"
    case .ed25519: "Ed25519PrivateKey"
    }
  }

  @Test func pbes2Wycheproof() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.wycheproof("pbes2_hmacsha256_aes_256") {
      let scheme = PBES2(
        salt: try test.bytes("salt"), iterations: try test.number("iterationCount"), prf: .sha256,
        cipher: .aes256, iv: try test.bytes("iv"))
      let ciphertext = try test.bytes("ct")
      let passphrase = try test.bytes("password")
      let other = passphrase + [1]
      let plaintext = try scheme.decrypt(ciphertext.span, passphrase: passphrase.span)
      tally.add(
        "\(try test.text("result")): \(Hex.encode(plaintext.bytes) == (try test.text("msg")))")
      // A padding that happens to be right gives other bytes.
      if let wrong = try? scheme.decrypt(ciphertext.span, passphrase: other.span), wrong.count > 0 {
        #expect(Hex.encode(wrong.bytes) != (try test.text("msg")))
      }
    }
    #expect(tally.counts == ["valid: true": 84])
  }

  private func index(_ prefix: String) throws -> [(String, [String: Any])] {
    try Vectors.json("atrest/INDEX.json").filter { $0.key.hasPrefix(prefix) }.map {
      ($0.key, $0.value as? [String: Any] ?? [:])
    }
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Vectors.data("atrest/" + path))
  }
}

@Suite struct KeyFileTests {
  @Test(arguments: [KeyKind.p256, .p384, .rsa(bits: 2048), .ed25519]) func formsOfOneKey(
    kind: KeyKind
  ) throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(kind)
    let der = try key.serialised()
    let label =
      switch kind {
      case .p256, .p384: "EC PRIVATE KEY"
      case .rsa: "RSA PRIVATE KEY"
      case .ed25519: "PRIVATE KEY"
      }
    let body = Base64.encode(der.bytes)
    for ending in ["\n", "\r\n", "  \n"] {
      let text = Array(pem(label, body, ending: ending).utf8)
      let imported = try PrivateKeyFile.decode(text.span, passphrase: nil)
      #expect(imported.key?.spki == key.spki)
    }
    let imported = try PrivateKeyFile.decode(der.bytes, passphrase: nil)
    #expect(
      imported.key?.spki == key.spki && imported.certificates.isEmpty && imported.certificate == nil
    )
  }

  /// As `openssl pkcs12` writes it: attributes as text, the key, then certificates.
  @Test func bagAttributesAndCertificates() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let other = try PrivateKey.generate(.p256)
    let own = try certificate(key, "own")
    let foreign = try certificate(other, "foreign")
    let der = try key.serialised()
    let attributes =
      "Bag Attributes\n    friendlyName: acme: processing\n    localKeyID: 01 02\nKey Attributes: <No Attributes>\n"
    let text =
      attributes + pem("EC PRIVATE KEY", Base64.encode(der.bytes)) + attributes
      + pem("CERTIFICATE", Base64.encode(foreign.der))
      + "subject=CN = own\n" + pem("CERTIFICATE", Base64.encode(own.der))
    let file = Array(text.utf8)
    let imported = try PrivateKeyFile.decode(file.span, passphrase: nil)
    #expect(imported.key?.spki == key.spki)
    #expect(imported.certificates.map(\.subjectCommonName) == ["foreign", "own"])
    #expect(imported.certificate?.der == own.der)
  }

  @Test func refusals() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let der = try key.serialised()
    let body = Base64.encode(der.bytes)
    let good = pem("EC PRIVATE KEY", body)
    let certificate = pem("CERTIFICATE", Base64.encode(try certificate(key, "c").der))
    let cases: [(String, String, String)] = [
      ("empty", "", "notAKeyFile"), ("text", "hello\n", "notAKeyFile"),
      ("no end", String(good.dropLast(30)), "malformed"),
      ("another end", good.replacingOccurrences(of: "END EC", with: "END RSA"), "malformed"),
      ("begin in the body", "-----BEGIN EC PRIVATE KEY-----\n" + good, "malformed"),
      ("two keys", good + good, "severalKeys"),
      ("another label", good.replacingOccurrences(of: "EC PRIVATE", with: "PRIVATE"), "invalidKey"),
      (
        "unknown label", good.replacingOccurrences(of: "EC PRIVATE KEY", with: "EC PARAMETERS"),
        "notAKeyFile"
      ),
      ("no body", pem("EC PRIVATE KEY", ""), "malformed"),
      ("not base64", pem("EC PRIVATE KEY", "A" + body), "malformed"),
      ("url alphabet", pem("PRIVATE KEY", "-_-_"), "malformed"),
      ("old header", pem("EC PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\n\n" + body), "weakEncryption"),
      ("broken certificate", pem("CERTIFICATE", "MAMCAQA="), "invalidCertificate"),
      ("certificates alone", certificate, "no key, 1 certificates"),
      ("too many certificates", String(repeating: certificate, count: 17), "tooLarge"),
      ("too many blocks", String(repeating: pem("X", "AAAA"), count: 33), "tooLarge"),
      ("too large", String(repeating: "x", count: PrivateKeyFile.maximumSize + 1), "tooLarge"),
      ("a sequence of nothing we know", "0\u{3}\u{2}\u{1}\u{0}", "malformed"),
    ]
    for (name, text, expected) in cases {
      #expect(outcome(Array(text.utf8), nil) == expected, "\(name)")
    }
  }

  @Test func passphrases() throws {
    try #require(TestArena.ready)
    // openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -iter 1000, passphrase "kist"
    let file = Array(encryptedKey.utf8)
    #expect(outcome(file, Array("kist".utf8)) == "p256, 0 certificates")
    #expect(outcome(file, Array("Kist".utf8)) == "wrongPassphrase")
    #expect(outcome(file, []) == "wrongPassphrase")
    #expect(outcome(file, nil) == "passphraseNeeded")
  }

  private func certificate(_ key: PrivateKey, _ name: String) throws -> Certificate {
    try CertificateBuilder(
      subject: [.commonName(name)], serial: 1, notBefore: Timestamp(seconds: 1_700_000_000),
      notAfter: Timestamp(seconds: 1_800_000_000)
    ).issue(for: key.publicKey, by: nil, signedWith: key)
  }

  private func pem(_ label: String, _ body: String, ending: String = "\n") -> String {
    let lines = stride(from: 0, to: body.count, by: 64).map {
      String(body.dropFirst($0).prefix(64))
    }
    return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(
      separator: ending)
  }
}

private let encryptedKey = """
  -----BEGIN ENCRYPTED PRIVATE KEY-----
  MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj7S+mfTy/aDAICA+gw
  DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEBV1pb0UDFWSvZnK9J+pDNoEgZCX
  PnTyhoiiD0BUgMZfro8vZtF+AEI4evVzjfRfECfNBkQqLl8KCMb5tw67JWRcN1jo
  6Q8eqe1kt30+I9RtFNHohc7wXyHzckCZXgU1He0gav1N0/HY7T09smAfNfKpAULu
  V+hALOsTSbD5ZFyen2a4yKOWpF7OJ35RNvGERl/Wi53Cc17pGk5+8MwayJg6jyk=
  -----END ENCRYPTED PRIVATE KEY-----
  """
