import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

/// The published files that the suites by primitive leave over.
@Suite(.enabled(if: Vectors.present, "needs ../shared/vectors")) struct FurtherVectorsTests {
  /// NIST CAVS "ZZonly": ECDH alone; the hash of Z stands in for Z where the file has only that.
  @Test(arguments: ["init", "resp"]) func ecdhZOnly(_ role: String) throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (section, test) in try Vectors.blocks(
      "nist/cavp/ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_\(role).fax")
    where test.has("Result") {
      let curve: (kind: KeyKind, size: Int)
      switch section {
      case "EC - SHA256": curve = (.p256, 32)
      case "ED - SHA384": curve = (.p384, 48)
      default:
        tally.add("not offered")
        continue
      }
      let result = try test.text("Result")
      let passes = result.hasPrefix("P")
      let outcome = try agreement(test, curve.kind, curve.size)
      tally.add("\(passes ? "correct" : "incorrect"): \(outcome == passes)")
    }
    #expect(tally.counts == ["correct: true": 36, "incorrect: true": 24, "not offered": 90])
  }

  /// Whether both public keys are valid, the private key is the one of ours, and Z is what the file
  /// says.
  private func agreement(_ test: VectorCase, _ kind: KeyKind, _ size: Int) throws -> Bool {
    let peer = [4] + fixed(try test.bytes("QsCAVSx"), size) + fixed(try test.bytes("QsCAVSy"), size)
    let own = [4] + fixed(try test.bytes("QsIUTx"), size) + fixed(try test.bytes("QsIUTy"), size)
    let expected = fixed(try test.bytes("Z"), size)
    let scalar = fixed(try test.bytes("dsIUT"), size)
    guard let key = try? privateKey(scalar: scalar, kind: kind), key.publicKey.point == own else {
      return false
    }
    do throws(CryptoError) {
      let z = try key.agree(with: peer.span)
      return z.bytes.array == expected
    } catch { return false }
  }

  /// NIST ACVP one-step KDF; of its hashes we offer SHA-512.
  @Test func oneStepSHA512() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (group, test) in try Vectors.grouped("nist/acvp/KDA-OneStep-Sp800-56Cr2.json") {
      guard try group.object("kdfConfiguration").text("auxFunction") == "SHA2-512" else {
        tally.add("not offered")
        continue
      }
      let parameter = try test.object("kdfParameter")
      let info =
        try parameter.bytes("t") + party(test.object("fixedInfoPartyU"))
        + party(test.object("fixedInfoPartyV")) + length(of: parameter)
      let z = try parameter.bytes("z")
      let expected = try test.bytes("dkm")
      let none = [UInt8]()
      let derived = try KeyDerivation(.oneStep, .sha512).derive(
        secret: z.span, info: info.span, salt: none.span, count: expected.count)
      let isEqual = derived.bytes.array == expected
      tally.add(
        "SHA-512: \(try group.text("testType") == "AFT" ? isEqual : isEqual == test.flag("testPassed"))"
      )
    }
    #expect(tally.counts == ["SHA-512: true": 40, "not offered": 120])
  }

  private func party(_ party: VectorCase) throws -> [UInt8] {
    try party.bytes("partyId") + (party.has("ephemeralData") ? party.bytes("ephemeralData") : [])
  }

  /// The length of the output in bits, 32 bits.
  private func length(of parameter: VectorCase) throws -> [UInt8] {
    UInt32(try parameter.number("l")).bigEndianBytes
  }

  /// RFC 5869, appendix A, SHA-256.
  @Test func hkdfRFC5869() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    // A blank line can stand between a case's input and its output.
    var input: VectorCase?
    for (_, test) in try Vectors.blocks("nist/cavp/KDF/rfc-5869-HKDF-SHA256.txt") {
      if test.has("IKM") { input = test }
      guard test.has("OKM"), let input else { continue }
      let secret = try input.bytes("IKM")
      let salt = try input.bytes("salt")
      let info = try input.bytes("info")
      let expected = try test.bytes("OKM")
      let derived = try HKDFSHA256.derive(
        secret: secret.span, salt: salt.span, info: info.span, count: expected.count)
      tally.add("equal: \(derived.bytes.array == expected)")
    }
    #expect(tally.counts == ["equal: true": 3])
  }

  /// RFC 6979, appendix A.2, as signatures to verify; each curve with the hash that goes with it.
  @Test func ecdsaRFC6979() throws {
    try #require(TestArena.ready)
    var keys: [String: PublicKey] = [:]
    var tally = Tally()
    let text = String(
      decoding: try Vectors.data("nist/cavp/ECDSA/evppkey_ecdsa_rfc6979.txt"), as: UTF8.self)
    for block in text.components(separatedBy: "\n\n") {
      let lines = block.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
      if let name = lines.first(where: { $0.hasPrefix("PublicKey=") })?.dropFirst(
        "PublicKey=".count)
      {
        let base64 = lines.filter {
          !$0.contains("=P-") && !$0.hasPrefix("-----") && !$0.contains("PUB")
        }.joined()
        let der = try #require(Base64.decode(base64))
        keys[String(name)] = try? PublicKey(spki: der.span)
      }
      let fields = Dictionary(
        lines.compactMap { line in
          line.range(of: " = ").map {
            (String(line[..<$0.lowerBound]), String(line[$0.upperBound...]))
          }
        }
      ) {
        $1
      }
      guard let digest = fields["DigestVerify"], let name = fields["Key"],
        let input = fields["Input"], let output = fields["Output"]
      else { continue }
      guard ["SHA256 P-256_PUB", "SHA384 P-384_PUB"].contains("\(digest) \(name)"),
        let key = keys[name]
      else {
        tally.add("not offered")
        continue
      }
      let message = Array(input.trimmingCharacters(in: CharacterSet(charactersIn: "\"")).utf8)
      let signature = try #require(Hex.decode(output))
      let isRight = key.verify(signature: signature.span, message: message.span)
      tally.add("\(name): \(isRight == (fields["Result"] == nil))")
    }
    #expect(tally.counts == ["P-256_PUB: true": 4, "P-384_PUB: true": 4, "not offered": 292])
  }
}
