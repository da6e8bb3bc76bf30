import Ceremony
import Crypto
import Format
import Host
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.present, "no test vectors")) struct ECDHVectors {
  /// Uncompressed points on the key's curve are taken, everything else refused, `acceptable`
  /// compressed points included.
  @Test(arguments: [
    (
      "ecdh_secp256r1_ecpoint", KeyKind.p256, 32,
      ["valid: agreed": 330, "invalid: invalidPoint": 24, "acceptable: invalidPoint": 1]
    ),
    (
      "ecdh_secp384r1_ecpoint", .p384, 48,
      ["valid: agreed": 771, "invalid: invalidPoint": 18, "acceptable: invalidPoint": 1]
    ),
  ])
  func points(file: String, kind: KeyKind, size: Int, expected: [String: Int]) throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.wycheproof(file) {
      let key = try privateKey(scalar: fixed(test.bytes("private"), size), kind: kind)
      tally.add(
        try test.text("result") + ": " + outcome(key, test.bytes("public"), test.bytes("shared")))
    }
    #expect(tally.counts == expected)
  }

  @Test func ephemeralKeys() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.wycheproof("ecdh_secp256r1_ecpoint") {
      let key = try EphemeralKey(scalar: fixed(test.bytes("private"), 32).span)
      let point = try test.bytes("public")
      let shared = try test.bytes("shared")
      tally.add(
        try test.text("result") + ": "
          + outcome(shared) { () throws(CryptoError) in try key.agree(with: point.span) })
    }
    #expect(
      tally.counts == [
        "valid: agreed": 330, "invalid: invalidPoint": 24, "acceptable: invalidPoint": 1,
      ])
  }

  /// The same through SubjectPublicKeyInfo: named curve and uncompressed only, all 230 `acceptable`
  /// refused.
  @Test func subjectPublicKeyInfo() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.wycheproof("ecdh_secp256r1") {
      let key = try privateKey(scalar: fixed(test.bytes("private"), 32), kind: .p256)
      let result = try test.text("result")
      let shared = try test.bytes("shared")
      let spki = try test.bytes("public")
      do throws(CryptoError) {
        let peer = try PublicKey(spki: spki)
        tally.add(result + ": " + outcome(key, peer.point ?? [], shared))
      } catch { tally.add("\(result): \(error)") }
    }
    #expect(
      tally.counts == [
        "valid: agreed": 330, "invalid: invalidPoint": 19, "invalid: invalidKey": 33,
        "acceptable: invalidKey": 228,
        "acceptable: invalidPoint": 2,
      ])
  }

  @Test func pem() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (_, test) in try Vectors.wycheproof("ecdh_secp256r1_pem") {
      let file = Array(try test.text("private").utf8)
      let key = try #require(try PrivateKeyFile.decode(file.span, passphrase: nil).key)
      let body = try test.text("public").split(separator: "\n").filter { !$0.hasPrefix("-----") }
        .joined()
      let result = try test.text("result")
      let shared = try test.bytes("shared")
      guard let spki = Base64.decode(body) else {
        tally.add("\(result): not base64")
        continue
      }
      do throws(CryptoError) {
        let peer = try PublicKey(spki: spki)
        tally.add(result + ": " + outcome(key, peer.point ?? [], shared))
      } catch { tally.add("\(result): \(error)") }
    }
    #expect(
      tally.counts == [
        "valid: agreed": 330, "invalid: invalidPoint": 19, "invalid: invalidKey": 33,
        "acceptable: invalidKey": 228,
        "acceptable: invalidPoint": 2,
      ])
  }

  /// CAVP public key validation, and ACVP's.
  @Test func publicKeyValidation() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (section, test) in try Vectors.blocks("nist/cavp/ECDSA/PKV.P256-P384.rsp")
    where test.has("Qx") {
      let kind: KeyKind = section == "P-256" ? .p256 : .p384
      tally.add(
        "\(section) \(try test.text("Result").prefix(1)): \(try validity(test.integer("Qx"), test.integer("Qy"), kind))"
      )
    }
    for (group, test) in try Vectors.grouped("nist/acvp/ECDSA-KeyVer-FIPS186-5.json") {
      let kind: KeyKind = try group.text("curve") == "P-256" ? .p256 : .p384
      tally.add(
        "ACVP \(try test.flag("testPassed")): \(try validity(test.bytes("qx"), test.bytes("qy"), kind))"
      )
    }
    #expect(
      tally.counts == [
        "P-256 P: valid": 4, "P-256 F: invalidPoint": 8, "P-384 P: valid": 4,
        "P-384 F: invalidPoint": 8, "ACVP true: valid": 2,
        "ACVP false: invalidPoint": 4,
      ])
  }

  private func validity(_ x: [UInt8], _ y: [UInt8], _ kind: KeyKind) -> String {
    let point = [0x04] + x + y
    do throws(CryptoError) {
      _ = try PublicKey(point: point.span, on: kind)
      return "valid"
    } catch { return "\(error)" }
  }

  private func outcome(_ key: PrivateKey, _ point: [UInt8], _ shared: [UInt8]) -> String {
    outcome(shared) { () throws(CryptoError) in try key.agree(with: point.span) }
  }

  private func outcome(_ shared: [UInt8], _ agree: () throws(CryptoError) -> SecretBuffer) -> String
  {
    do throws(CryptoError) {
      let z = try agree()
      return ConstantTime.equal(z.bytes, shared.span) ? "agreed" : "another secret"
    } catch { return "\(error)" }
  }
}

@Suite struct ECDHTests {
  /// With the key 1, Z is the peer's abscissa; that of 379 G begins with a zero byte.
  @Test func zKeepsItsLeadingZeros() throws {
    try #require(TestArena.ready)
    let one = fixed([1], 32)
    let peer = try EphemeralKey(scalar: fixed([1, 123], 32).span)
    let z = try privateKey(scalar: one, kind: .p256).agree(with: peer.point.span)
    let same = try EphemeralKey(scalar: one.span).agree(with: peer.point.span)
    let expected = "005543894af3d00ed7d740abdbd75c96b06877b787db5f70eea78b90a8d7c00a"
    let digits = Hex.encode(z.bytes)
    let others = Hex.encode(same.bytes)
    #expect(digits == expected && others == expected)
  }

  @Test func ephemeralKeysDiffer() throws {
    try #require(TestArena.ready)
    let one = try EphemeralKey.generate()
    let other = try EphemeralKey.generate()
    let isOther = one.point != other.point
    #expect(isOther)
    let z = try one.agree(with: other.point.span)
    let same = try other.agree(with: one.point.span)
    let isEqual = ConstantTime.equal(z.bytes, same.bytes)
    #expect(isEqual)
  }

  @Test(
    "a scalar outside 1..<n, or of another size, makes no ephemeral key",
    arguments: [
      [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), fixed([1], 31),
      fixed([1], 33), [],
      Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551") ?? [],
    ])
  func refusesScalar(scalar: [UInt8]) throws {
    try #require(TestArena.ready)
    #expect(throws: CryptoError.invalidKey) { _ = try EphemeralKey(scalar: scalar.span).point }
  }

  @Test(
    arguments: [
      ("infinity", [0x00]), ("empty", []), ("one short", [UInt8](repeating: 4, count: 64)),
      ("one long", [UInt8](repeating: 4, count: 66)),
      ("off the curve", [0x04] + [UInt8](repeating: 1, count: 64)),
      ("coordinates too large", [0x04] + [UInt8](repeating: 0xFF, count: 64)),
    ] as [(String, [UInt8])])
  func refusesPoint(name: String, point: [UInt8]) throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    #expect(throws: CryptoError.invalidPoint) { _ = try key.agree(with: point.span) }
    #expect(throws: CryptoError.invalidPoint) {
      _ = try EphemeralKey.generate().agree(with: point.span)
    }
  }

  /// Compressed and hybrid forms of a good point, and a good point of the other curve.
  @Test func refusesOtherEncodings() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let other = try PrivateKey.generate(.p384)
    let point = try #require(key.publicKey.point)
    let foreign = try #require(other.publicKey.point)
    let parity = point[64] & 1
    let forms = [
      [0x02 | parity] + point[1...32], [0x06 | parity] + point[1...64], foreign,
      Array(foreign.prefix(65)),
    ]
    for form in forms {
      #expect(throws: CryptoError.invalidPoint) { _ = try key.agree(with: form.span) }
      #expect(throws: CryptoError.invalidPoint) {
        _ = try EphemeralKey.generate().agree(with: form.span)
      }
    }
  }

  /// OpenSSL keeps a refused point in a key object, and would then derive with it.
  @Test func refusedPointLeavesNothingBehind() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    var point = try #require(key.publicKey.point)
    let good = try key.agree(with: point.span)
    point[64] ^= 1
    for _ in 0..<3 {
      #expect(throws: CryptoError.invalidPoint) { _ = try key.agree(with: point.span) }
    }
    point[64] ^= 1
    let again = try key.agree(with: point.span)
    let isEqual = ConstantTime.equal(good.bytes, again.bytes)
    #expect(isEqual)
  }

  @Test func refusesKeysThatCannotAgree() throws {
    try #require(TestArena.ready)
    let signing = try PrivateKey.generate(.ed25519)
    let ec = try PrivateKey.generate(.p256)
    let point = try #require(ec.publicKey.point)
    #expect(throws: CryptoError.invalidInput) { _ = try signing.agree(with: point.span) }
  }
}
