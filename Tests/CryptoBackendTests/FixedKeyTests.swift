import Crypto
import Format
import TestSupport
import Testing

/// A fixed key's table must say exactly what OpenSSL says, although a no of it would not count.
@Suite(.enabled(if: Vectors.present, "no test vectors")) struct FixedKeyVectors {
  @Test func wycheproof() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    var pair: Pair?
    for (group, test) in try Vectors.wycheproof("ecdsa_secp256r1_sha256") {
      let spki = try group.bytes("publicKeyDer")
      if pair?.key.spki != spki { pair = try Pair(PublicKey(spki: spki)) }
      tally.add(
        "\(try test.text("result")): \(try #require(pair).verdict(try test.bytes("sig"), try test.bytes("msg")))"
      )
    }
    #expect(tally.counts == ["valid: both": 174, "invalid: none": 310])
  }

  @Test(arguments: [
    ("SigVer.P256-P384.rsp", ["both": 3, "none": 12]), ("SigGen.P256-P384.txt", ["both": 15]),
  ])
  func cavp(file: String, expected: [String: Int]) throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for (section, test) in try Vectors.blocks("nist/cavp/ECDSA/" + file)
    where test.has("R") && section.hasPrefix("P-256") {
      let point = [0x04] + (try test.bytes("Qx")) + (try test.bytes("Qy"))
      let signature = signatureDER(try test.bytes("R"), try test.bytes("S"))
      tally.add(
        try Pair(PublicKey(point: point.span, on: .p256)).verdict(signature, test.bytes("Msg")))
    }
    #expect(tally.counts == expected)
  }
}

@Suite struct FixedKeyTests {
  private static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
  private static let orderAndOne =
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552"
  private static let orderLessOne =
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
  private static let zero = String(repeating: "0", count: 64)
  private static let one = String(repeating: "0", count: 63) + "1"
  /// The generator (SP 800-186 §3.2.1.3), and twice its abscissa.
  private static let abscissa = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
  private static let ordinate = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
  private static let twiceAbscissa =
    "d62fa3e5c258848ff179cdcac74881e4ee06fb025bd66741e942728bb131852c"

  @Test func signaturesOfAKey() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let pair = try Pair(key.publicKey)
    for number in 0..<100 {
      let message = [UInt8](repeating: UInt8(number), count: number)
      var signature = try key.sign(message.span)
      #expect(try pair.verdict(signature, message) == "both")
      #expect(try pair.verdict(signature, message + [0]) == "none")
      #expect(try pair.verdict(signature + [0], message) == "none")
      signature[signature.count - 1] ^= 1
      #expect(try pair.verdict(signature, message) == "none")
    }
  }

  /// A million in the long form, under 64 keys: half of them genuine, the others with a number at
  /// an edge, another bit, or the other half of s.
  @Test("the table and OpenSSL say the same of random signatures and of those at an edge")
  func differential() throws {
    try #require(TestArena.ready)
    var generator = SystemRandomNumberGenerator()
    let order = try Self.bytes(Self.order)
    let edges = try [
      Self.zero, Self.one, Self.order, Self.orderLessOne, Self.orderAndOne, Self.abscissa,
    ].map(Self.bytes)
    var tally = Tally()
    let count = LongForm.isOn ? 1_000_000 : 2_000
    for _ in 0..<64 {
      let key = try PrivateKey.generate(.p256)
      let pair = try Pair(key.publicKey)
      for number in 0..<count / 64 {
        var message = (0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let scalars = try Self.scalars(key.sign(message.span))
        var (r, s) = scalars
        switch number % 8 {
        case 0: s = difference([UInt8](repeating: 0, count: 32), s, modulo: order)
        case 1: s = edges.randomElement(using: &generator) ?? s
        case 2: r = edges.randomElement(using: &generator) ?? r
        case 3: message[number / 8 % 8] ^= 1 << UInt8(number / 64 % 8)
        case 4: s[number / 8 % 32] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        default: break
        }
        tally.add(try pair.verdict(signatureDER(r, s), message))
      }
    }
    #expect(tally.counts["the table"] == nil && tally.counts["OpenSSL"] == nil, "\(tally.counts)")
    #expect(
      tally.counts["both"] ?? 0 >= count / 64 / 8 * 64 * 4
        && tally.counts["none"] ?? 0 >= count / 64 / 8 * 64 * 4)
    print("soak: signatures compared with OpenSSL = \(count)")
  }

  private static func scalars(_ signature: [UInt8]) throws -> (r: [UInt8], s: [UInt8]) {
    var reader = DERReader(signature.span)
    var numbers = try reader.enter()
    func padded(_ number: Span<UInt8>) -> [UInt8] {
      [UInt8](repeating: 0, count: 32 - number.count) + number.array
    }
    return (padded(try numbers.readUnsigned()), padded(try numbers.readUnsigned()))
  }

  @Test func otherKeys() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let other = try PrivateKey.generate(.p256)
    let signature = try other.sign([1].span)
    #expect(try Pair(key.publicKey).verdict(signature, [1]) == "none")
    for kind in [KeyKind.p384, .rsa(bits: 2048), .ed25519] {
      let key = try PrivateKey.generate(kind).publicKey
      #expect(throws: CryptoError.invalidKey) { try FixedKeyVerifier(key) }
    }
  }

  /// r and s must lie in 1..<n; the number that the other is, is right where both are 1.
  @Test(arguments: [zero, one, order, orderLessOne, orderAndOne])
  func numbersAtTheEdge(number: String) throws {
    try #require(TestArena.ready)
    let pair = try Pair(PrivateKey.generate(.p256).publicKey)
    for (r, s) in [(number, Self.one), (Self.one, number), (number, number)] {
      #expect(try pair.verdict(signatureDER(Self.bytes(r), Self.bytes(s)), [1, 2, 3]) == "none")
    }
  }

  /// With the generator as the key, and r = e and s = 2e, both products are half of the generator:
  /// their sum is the double of one.
  @Test func equalProducts() throws {
    try #require(TestArena.ready)
    let verifier = try FixedKeyVerifier(Self.generator())
    let digest = try #require(Digest256(hex: Self.abscissa))
    let signature = try signatureDER(Self.bytes(Self.abscissa), Self.bytes(Self.twiceAbscissa))
    #expect(isTaken(signature, digest, by: verifier))
    let other = try signatureDER(Self.bytes(Self.abscissa), Self.bytes(Self.orderLessOne))
    #expect(!isTaken(other, digest, by: verifier))
  }

  /// Likewise with r = n - e the sum is the point at infinity, which has no abscissa.
  @Test func pointAtInfinity() throws {
    try #require(TestArena.ready)
    let verifier = try FixedKeyVerifier(Self.generator())
    let one = try #require(Digest256(hex: Self.one))
    let signature = try signatureDER(Self.bytes(Self.orderLessOne), Self.bytes(Self.one))
    #expect(!isTaken(signature, one, by: verifier))
  }

  /// One of the products is nothing where the digest is.
  @Test(arguments: [zero, order])
  func noDigest(hex: String) throws {
    try #require(TestArena.ready)
    let verifier = try FixedKeyVerifier(Self.generator())
    let digest = try #require(Digest256(hex: hex))
    // 0 G + r/s Q = Q where r = s, and r is its abscissa.
    let right = try signatureDER(Self.bytes(Self.abscissa), Self.bytes(Self.abscissa))
    let wrong = try signatureDER(Self.bytes(Self.one), Self.bytes(Self.one))
    #expect(isTaken(right, digest, by: verifier))
    #expect(!isTaken(wrong, digest, by: verifier))
  }

  /// With 1 as the key and as the nonce, r is the generator's abscissa, and s belongs to the digest
  /// s - r: so every s can be tried.
  @Test("every power of 2 and its negative have an inverse that is right") func inverses() throws {
    try #require(TestArena.ready)
    let verifier = try FixedKeyVerifier(Self.generator())
    let order = try Self.bytes(Self.order)
    let r = try Self.bytes(Self.abscissa)
    let zero = [UInt8](repeating: 0, count: 32)
    for bit in 0..<256 {
      var power = zero
      power[31 - bit / 8] = 1 << (bit % 8)
      for s in [power, difference(zero, power, modulo: order)] {
        let digest = try #require(Digest256(difference(s, r, modulo: order)))
        let other = try #require(Digest256(s))
        #expect(isTaken(signatureDER(r, s), digest, by: verifier), "\(Hex.encode(s))")
        #expect(!isTaken(signatureDER(r, s), other, by: verifier))
      }
    }
  }

  /// Of two big-endian numbers below the modulus.
  private func difference(_ a: [UInt8], _ b: [UInt8], modulo modulus: [UInt8]) -> [UInt8] {
    let lift = a.lexicographicallyPrecedes(b) ? modulus : [UInt8](repeating: 0, count: 32)
    var result = a
    var carry = 0
    for i in a.indices.reversed() {
      carry += Int(a[i]) - Int(b[i]) + Int(lift[i])
      result[i] = UInt8(carry & 0xFF)
      carry >>= 8
    }
    return result
  }

  private func isTaken(_ signature: [UInt8], _ digest: Digest256, by verifier: FixedKeyVerifier)
    -> Bool
  {
    verifier.accepts(signature: signature.span, digest: digest)
  }

  private static func generator() throws -> PublicKey {
    let point = [0x04] + (try bytes(abscissa)) + (try bytes(ordinate))
    return try PublicKey(point: point.span, on: .p256)
  }

  private static func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }
}

/// One key, verified by with a table and without.
private struct Pair {
  let key: PublicKey
  private let verifier: FixedKeyVerifier

  init(_ key: PublicKey) throws {
    self.key = key
    verifier = try FixedKeyVerifier(key)
  }

  /// Who takes the signature.
  func verdict(_ signature: [UInt8], _ message: [UInt8]) throws -> String {
    let byTable = verifier.accepts(signature: signature.span, digest: SHA256.hash(message))
    let byOpenSSL = key.verify(signature: signature.span, message: message.span)
    return byTable == byOpenSSL ? (byTable ? "both" : "none") : byTable ? "the table" : "OpenSSL"
  }
}
