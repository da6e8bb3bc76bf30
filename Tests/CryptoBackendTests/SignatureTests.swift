import Crypto
import Format
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.present, "no test vectors")) struct SignatureVectors {
  /// Strict DER: every malleated encoding is refused.
  @Test(arguments: [
    ("ecdsa_secp256r1_sha256", "publicKeyDer", ["valid: true": 174, "invalid: false": 310]),
    ("ecdsa_secp384r1_sha384", "publicKeyDer", ["valid: true": 194, "invalid: false": 310]),
    ("ed25519", "publicKeyDer", ["valid: true": 88, "invalid: false": 63]),
    // The one acceptable signature leaves out the NULL; two valid ones have an exponent of 3.
    (
      "rsa_signature_2048_sha256", "publicKeyDer",
      ["valid: true": 7, "invalid: false": 249, "acceptable: false": 1, "valid: key refused": 2]
    ),
  ])
  func wycheproof(file: String, field: String, expected: [String: Int]) throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (group, test) in try Vectors.wycheproof(file) {
      let result = try test.text("result")
      let spki = try group.bytes(field)
      let message = try test.bytes("msg")
      let signature = try test.bytes("sig")
      guard let key = try? PublicKey(spki: spki) else {
        tally.add("\(result): key refused")
        continue
      }
      tally.add("\(result): \(key.verify(signature: signature.span, message: message.span))")
    }
    #expect(tally.counts == expected)
  }

  @Test func cavpVerification() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (section, test) in try Vectors.blocks("nist/cavp/ECDSA/SigVer.P256-P384.rsp")
    where test.has("R") {
      let result = try test.text("Result").prefix(1)
      tally.add(
        "\(section) \(result): \(try verify(test, section.hasPrefix("P-256") ? .p256 : .p384))")
    }
    #expect(
      tally.counts == [
        "P-256,SHA-256 P: true": 3, "P-256,SHA-256 F: false": 12, "P-384,SHA-384 P: true": 3,
        "P-384,SHA-384 F: false": 12,
      ])
  }

  /// Signatures NIST made verify.
  @Test func cavpGeneration() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (section, test) in try Vectors.blocks("nist/cavp/ECDSA/SigGen.P256-P384.txt")
    where test.has("R") {
      tally.add("\(section): \(try verify(test, section.hasPrefix("P-256") ? .p256 : .p384))")
    }
    #expect(tally.counts == ["P-256,SHA-256: true": 15, "P-384,SHA-384: true": 15])
  }

  /// P-256 with SHA-256; the other groups are of combinations that we do not offer.
  @Test func acvpVerification() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (group, test) in try Vectors.grouped("nist/acvp/ECDSA-SigVer-FIPS186-5.json") {
      let curve = try group.text("curve")
      let hash = try group.text("hashAlg")
      let passed = try test.flag("testPassed")
      guard curve == "P-256", hash == "SHA2-256" else {
        tally.add("not offered")
        continue
      }
      let point = [0x04] + (try test.bytes("qx")) + (try test.bytes("qy"))
      let signature = try signatureDER(test.bytes("r"), test.bytes("s"))
      let message = try test.bytes("message")
      let key = try PublicKey(point: point.span, on: .p256)
      tally.add("\(passed): \(key.verify(signature: signature.span, message: message.span))")
    }
    #expect(tally.counts == ["true: true": 1, "false: false": 6, "not offered": 21])
  }

  private func verify(_ test: VectorCase, _ kind: KeyKind) throws -> Bool {
    let point = [0x04] + (try test.bytes("Qx")) + (try test.bytes("Qy"))
    let signature = try signatureDER(test.bytes("R"), test.bytes("S"))
    let message = try test.bytes("Msg")
    return try PublicKey(point: point.span, on: kind).verify(
      signature: signature.span, message: message.span)
  }
}

@Suite struct SignatureTests {
  @Test(arguments: [KeyKind.p256, .p384, .rsa(bits: 2048), .ed25519])
  func signsAndVerifies(kind: KeyKind) throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(kind)
    let other = try PrivateKey.generate(kind)
    var message = Array("count the money in front of witnesses".utf8)
    var signature = try key.sign(message.span)
    let good = key.publicKey.verify(signature: signature.span, message: message.span)
    let byOther = other.publicKey.verify(signature: signature.span, message: message.span)
    #expect(good && !byOther)
    message[0] ^= 1
    let changedMessage = key.publicKey.verify(signature: signature.span, message: message.span)
    message[0] ^= 1
    signature[signature.count - 1] ^= 1
    let changedSignature = key.publicKey.verify(signature: signature.span, message: message.span)
    #expect(!changedMessage && !changedSignature)
  }

  @Test func emptyMessageAndSignature() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let none: [UInt8] = []
    let signature = try key.sign(none.span)
    let good = key.publicKey.verify(signature: signature.span, message: none.span)
    let empty = key.publicKey.verify(signature: none.span, message: none.span)
    #expect(good && !empty)
  }

  /// ECDSA draws a new nonce each time; Ed25519 is deterministic.
  @Test func nonces() throws {
    try #require(TestArena.ready)
    let message = Array("same".utf8)
    let ecdsa = try PrivateKey.generate(.p256)
    let eddsa = try PrivateKey.generate(.ed25519)
    let first = try ecdsa.sign(message.span)
    let second = try ecdsa.sign(message.span)
    #expect(first != second)
    let third = try eddsa.sign(message.span)
    let fourth = try eddsa.sign(message.span)
    #expect(third == fourth)
  }
}
