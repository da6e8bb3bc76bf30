import Format
import Host
import TestSupport
import Testing

@testable import Crypto

@Suite(.enabled(if: Vectors.present, "no test vectors")) struct KDFVectors {
  @Test func hkdf() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.wycheproof("hkdf_sha256") {
      let result = try test.text("result")
      let expected = try test.text("okm")
      let size = try test.number("size")
      tally.add(
        "\(result): \(try derive(test.bytes("ikm"), test.bytes("salt"), test.bytes("info"), size, expected))"
      )
    }
    #expect(tally.counts == ["valid: true": 83, "invalid: invalidInput": 3])
  }

  private func derive(
    _ secret: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ count: Int, _ expected: String
  ) -> String {
    do throws(CryptoError) {
      let derived = try HKDFSHA256.derive(
        secret: secret.span, salt: salt.span, info: info.span, count: count)
      return "\(Hex.encode(derived.bytes) == expected)"
    } catch { return "\(error)" }
  }

  /// Botan's one-step SHA-256 section: 4 to 50 bytes of output.
  @Test func oneStepBotan() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (section, test) in try Vectors.blocks("nist/botan/sp800_56a.vec")
    where section == "SP800-56A(SHA-256)" {
      tally.add("\(try oneStep(test.bytes("Secret"), test.bytes("Label"), test.text("Output")))")
    }
    #expect(tally.counts == ["true": 47])
  }

  /// NIST's server, through AWS-LC: ten derivations of 256 bytes, of which the VAL groups say
  /// whether they are right.
  @Test func oneStepACVP() throws {
    try #require(TestArena.ready)
    var answers: [Int: VectorCase] = [:]
    for (_, test) in try Vectors.grouped("nist/aws-lc/KDA-OneStep.expected.json") {
      answers[try test.number("tcId")] = test
    }
    var tally = Tally()
    for (group, test) in try Vectors.grouped("nist/aws-lc/KDA-OneStep.prompt.json") {
      let hash = try group.object("kdfConfiguration").text("auxFunction")
      let type = try group.text("testType")
      guard hash == "SHA2-256" else {
        tally.add("\(hash): not offered")
        continue
      }
      let fixedInfo =
        try party(test.object("fixedInfoPartyU")) + party(test.object("fixedInfoPartyV"))
      let answer = try #require(answers[test.number("tcId")])
      let expected = type == "AFT" ? try answer.text("dkm") : try test.text("dkm")
      let isEqual = try oneStep(test.object("kdfParameter").bytes("z"), fixedInfo, expected)
      tally.add(
        type == "AFT" ? "AFT: \(isEqual)" : "VAL \(try answer.flag("testPassed")): \(isEqual)")
    }
    #expect(
      tally.counts == [
        "AFT: true": 5, "VAL true: true": 4, "VAL false: false": 1,
        "HMAC-SHA2-256: not offered": 20, "SHA2-384: not offered": 10,
        "SHA2-512: not offered": 10,
      ])
  }

  /// X9.63 hashes Z before the counter, SP 800-56A after it: no X9.63 answer may come out of the
  /// one-step derivation.
  @Test func oneStepIsNotX963() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.blocks("nist/cavp/KDF/ansx963_2001.txt") where test.has("key_data")
    {
      tally.add("\(try oneStep(test.bytes("Z"), test.bytes("SharedInfo"), test.text("key_data")))")
    }
    #expect(tally.counts == ["false": 100])
  }

  private func party(_ party: VectorCase) throws -> [UInt8] {
    try party.bytes("partyId") + (party.has("ephemeralData") ? party.bytes("ephemeralData") : [])
  }

  private func oneStep(_ z: [UInt8], _ otherInfo: [UInt8], _ expected: String) throws -> Bool {
    let derived = try OneStepKDF.sha256(
      z: z.span, otherInfo: otherInfo.span, count: expected.count / 2)
    return Hex.encode(derived.bytes) == expected.lowercased()
  }
}

/// CAVP `[EC - SHA256]`: P-256 ECDH with the one-step derivation, exactly the shape of an Apple Pay
/// token.
@Suite(.enabled(if: Vectors.present, "no test vectors")) struct KeyAgreementVectors {
  /// Which of NIST's checks a case fails first.
  private enum Stage: String {
    case peerPoint, ownPoint, ownScalar, secret, derivedKey, macData, tag, correct
  }

  @Test(arguments: ["init", "resp"]) func staticUnified(role: String) throws {
    try #require(TestArena.ready)
    let mac = try MAC("HMAC", "digest", "SHA2-512", keySize: 16)
    var tally = Tally()
    let path = "nist/cavp/ECDH/KASValidityTest_ECCStaticUnified_KDFConcat_NOKC_\(role).fax"
    for (section, test) in try Vectors.blocks(path) where section == "EC - SHA256" {
      // "F (10 - OI changed )" is reason 10.
      let reason = try test.text("Result").split(separator: " ")[1].dropFirst()
      tally.add("\(reason): \(try stage(test, mac).rawValue)")
    }
    #expect(
      tally.counts == [
        "0: correct": 6, "1: peerPoint": 2, "2: peerPoint": 2, "5: ownPoint": 2, "6: ownPoint": 2,
        "7: ownScalar": 2, "8: secret": 2,
        "9: derivedKey": 2, "10: derivedKey": 2, "11: macData": 2, "12: tag": 2,
        // Z and DKM that begin with a zero nibble
        "13: correct": 2, "14: correct": 2,
      ])
  }

  private func stage(_ test: VectorCase, _ mac: MAC) throws -> Stage {
    let peer = [0x04] + (try test.bytes("QsCAVSx")) + (try test.bytes("QsCAVSy"))
    let own = [0x04] + (try test.bytes("QsIUTx")) + (try test.bytes("QsIUTy"))
    let key = try privateKey(scalar: test.bytes("dsIUT"), kind: .p256)
    guard (try? PublicKey(point: own.span, on: .p256)) != nil else { return .ownPoint }
    guard (try? PublicKey(point: peer.span, on: .p256)) != nil else { return .peerPoint }
    guard key.publicKey.point == own else { return .ownScalar }
    let z = try key.agree(with: peer.span)
    let otherInfo = try test.bytes("OI")
    let expectedKey = try test.text("DKM")
    guard Hex.encode(z.bytes) == (try test.text("Z")) else { return .secret }
    let derived = try OneStepKDF.sha256(
      z: z.bytes, otherInfo: otherInfo.span, count: expectedKey.count / 2)
    guard Hex.encode(derived.bytes) == expectedKey else { return .derivedKey }
    let macData = try test.bytes("MacData")
    let nonce = try test.bytes("Nonce")
    let expectedTag = try test.bytes("CAVSTag")
    guard macData == Array("Standard Test Message".utf8) + nonce else { return .macData }
    var tag = [UInt8](repeating: 0, count: 64)
    var out = tag.mutableSpan
    try mac.authenticate(key: derived.bytes, macData.span, into: &out)
    return tag.starts(with: expectedTag) ? .correct : .tag
  }
}

@Suite struct KDFTests {
  private let bytes = [UInt8](repeating: 1, count: 16), none: [UInt8] = []

  @Test(arguments: [0, -1, 8161]) func refusesSize(count: Int) throws {
    try #require(TestArena.ready)
    #expect(throws: CryptoError.invalidInput) {
      _ = try HKDFSHA256.derive(secret: bytes.span, salt: none.span, info: none.span, count: count)
    }
    #expect(throws: CryptoError.invalidInput) {
      _ = try OneStepKDF.sha256(z: bytes.span, otherInfo: none.span, count: count)
    }
  }

  @Test func refusesNoSecret() throws {
    try #require(TestArena.ready)
    #expect(throws: CryptoError.invalidInput) {
      _ = try HKDFSHA256.derive(secret: none.span, salt: none.span, info: none.span, count: 32)
    }
    #expect(throws: CryptoError.invalidInput) {
      _ = try OneStepKDF.sha256(z: none.span, otherInfo: bytes.span)
    }
  }

  /// Longer output begins with the shorter.
  @Test(arguments: [1, 31, 32, 33, 64, 100]) func outputIsAPrefix(count: Int) throws {
    try #require(TestArena.ready)
    let long = try OneStepKDF.sha256(z: bytes.span, otherInfo: bytes.span, count: 128)
    let short = try OneStepKDF.sha256(z: bytes.span, otherInfo: bytes.span, count: count)
    #expect(short.count == count)
    #expect(Hex.encode(long.bytes).hasPrefix(Hex.encode(short.bytes)))
  }
}

@Suite struct Argon2idTests {
  /// Against the implementation in Python's `cryptography` (one lane).
  @Test(arguments: [
    (
      "kist self-test", 1, 8, 32, "8c6b319dedd239acc246525adbf8d017ca4826797139c79165ce1a2b6fced56d"
    ),
    (
      "correct horse battery staple", 3, 4096, 32,
      "553b121e233192ae3ccc4a3c2d44b29a3afb2636914a0b31197d99f07404f42c"
    ),
    (
      "", 2, 1024, 64,
      "b16457449d51e357a56c33cb16332af54e4c2b5f6f5ad737633146556ec0893a8109bc3cf683fe35f213fac361cd934f94c152696d78b9065002a206fbdb9916"
    ),
  ])
  func derives(passphrase: String, passes: Int, kibibytes: Int, count: Int, expected: String) throws
  {
    try #require(TestArena.ready)
    let text = Array(passphrase.utf8)
    let salt = (0..<16).map { UInt8($0) }
    let derived = try Argon2id.derive(
      passphrase: text.span, salt: salt.span, opsLimit: passes, memoryLimit: kibibytes << 10,
      count: count)
    #expect(Hex.encode(derived.bytes) == expected)
  }

  @Test(arguments: [
    (15, 1, 8192, 32), (17, 1, 8192, 32), (16, 0, 8192, 32), (16, 1, 8191, 32), (16, 1, 8192, 15),
    (16, 1, 8192, 1025), (16, 1, 1 << 37, 32),
  ])
  func refuses(salt: Int, passes: Int, memory: Int, count: Int) throws {
    try #require(TestArena.ready)
    let text = Array("x".utf8)
    let salt = [UInt8](repeating: 0, count: salt)
    #expect(throws: CryptoError.invalidInput) {
      _ = try Argon2id.derive(
        passphrase: text.span, salt: salt.span, opsLimit: passes, memoryLimit: memory, count: count)
    }
  }
}
