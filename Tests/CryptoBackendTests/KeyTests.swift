import Crypto
import Format
import Host
import TestSupport
import Testing

@Suite struct KeyTests {
  @Test(arguments: [(KeyKind.p256, 121, 91), (.p384, 167, 120), (.ed25519, 48, 44)])
  func serialisedFormIsCanonical(kind: KeyKind, size: Int, spkiSize: Int) throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(kind)
    let der = try key.serialised()
    let again =
      try kind == .ed25519
      ? PrivateKey(pkcs8DER: der.bytes) : PrivateKey(ecPrivateKeyDER: der.bytes)
    let twice = try again.serialised()
    let isEqual = ConstantTime.equal(der.bytes, twice.bytes)
    #expect(
      isEqual && der.count == size && key.spki.count == spkiSize && again.spki == key.spki
        && again.kind == kind)
    try again.validate()
  }

  @Test(arguments: [2048, 3072]) func rsaSerialisedFormIsCanonical(bits: Int) throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.rsa(bits: bits))
    let der = try key.serialised()
    let again = try PrivateKey(rsaPrivateKeyDER: der.bytes)
    let twice = try again.serialised()
    let isEqual = ConstantTime.equal(der.bytes, twice.bytes)
    #expect(isEqual && again.kind == .rsa(bits: bits) && again.spki == key.spki)
    try again.validate()
  }

  /// A scalar of zero, of n, of n+1 and of all ones.
  @Test(arguments: [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  ])
  func refusesScalar(hex: String) throws {
    try #require(TestArena.ready)
    let scalar = try #require(Hex.decode(hex))
    #expect(throws: CryptoError.invalidKey) { _ = try privateKey(scalar: scalar, kind: .p256) }
  }

  @Test(arguments: [0, 1, 31, 33, 48]) func refusesScalarSize(size: Int) throws {
    try #require(TestArena.ready)
    #expect(throws: CryptoError.invalidKey) {
      _ = try privateKey(scalar: [UInt8](repeating: 1, count: size), kind: .p256)
    }
  }

  /// Every single bit of the form's frame, its curve and its public key matters; a changed scalar
  /// no longer fits the public key.
  @Test func refusesEveryChangedByteOfAnECKey() throws {
    try #require(TestArena.ready)
    let der = try PrivateKey.generate(.p256).serialised()
    for index in 0..<der.count {
      var changed = try SecretBuffer(copying: der.bytes)
      var bytes = changed.mutableBytes
      bytes[index] ^= 1
      #expect(throws: CryptoError.invalidKey, "byte \(index)") {
        _ = try PrivateKey(ecPrivateKeyDER: changed.bytes)
      }
    }
  }

  @Test func refusesEveryLengthOfAnECKey() throws {
    try #require(TestArena.ready)
    let der = try PrivateKey.generate(.p256).serialised()
    for count in 0..<der.count {
      #expect(throws: CryptoError.invalidKey) {
        _ = try PrivateKey(ecPrivateKeyDER: der.bytes.extracting(0..<count))
      }
    }
  }

  /// The public key may stand compressed, which some tools write.
  @Test func takesACompressedPublicKeyOnlyIfItIsTheScalars() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let der = try key.serialised()
    let point = try #require(key.publicKey.point)
    var bytes: [UInt8] = [0x30, 0x57]
    for i in 2..<51 { bytes.append(der.bytes[i]) }
    let compressed = [0x02 | (point[64] & 1)] + point[1...32]
    bytes += [0xA1, 0x24, 0x03, 0x22, 0x00] + compressed
    let again = try PrivateKey(ecPrivateKeyDER: bytes.span)
    #expect(again.spki == key.spki)
    bytes[bytes.count - 33] ^= 1
    #expect(throws: CryptoError.invalidKey) { _ = try PrivateKey(ecPrivateKeyDER: bytes.span) }
  }

  @Test(arguments: [0, 31, 33]) func refusesSeedSize(size: Int) throws {
    try #require(TestArena.ready)
    let seed = [UInt8](repeating: 1, count: size)
    #expect(throws: CryptoError.invalidKey) { _ = try PrivateKey(ed25519Seed: seed.span) }
    #expect(throws: CryptoError.invalidKey) { _ = try PublicKey(ed25519: seed.span) }
  }
}

@Suite struct PublicKeyTests {
  /// Under these one signature can be good for any message: the points of small order in every
  /// encoding that decoders have taken (also not reduced, and the identity with a sign), one
  /// outside the prime-order group, and what is no point.
  static let weakEd25519Keys: [[UInt8]] = {
    func low(_ first: UInt8, _ last: UInt8 = 0) -> [UInt8] {
      [first] + [UInt8](repeating: 0, count: 30) + [last]
    }
    func high(_ first: UInt8, _ last: UInt8 = 0x7F) -> [UInt8] {
      [first] + [UInt8](repeating: 0xFF, count: 30) + [last]
    }
    let eighth = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc",
      other = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03"
    let order8 = [eighth + "05", eighth + "85", other + "7a", other + "fa"].compactMap {
      Hex.decode($0)
    }
    return [low(1), low(1, 0x80), low(0), low(0, 0x80), low(2)] + order8
      + [high(0xEC), high(0xEC, 0xFF), high(0xED), high(0xED, 0xFF), high(0xEE), high(0xEE, 0xFF)]
  }()

  @Test(
    "Ed25519 keys of small order, and what is no key, are refused however they come",
    arguments: weakEd25519Keys)
  func weakEd25519(_ raw: [UInt8]) throws {
    try #require(raw.count == 32)
    #expect(throws: CryptoError.invalidKey) { _ = try PublicKey(ed25519: raw.span) }
    let spki = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + raw
    #expect(throws: CryptoError.invalidKey) { _ = try PublicKey(spki: spki.span) }
  }

  @Test(arguments: [KeyKind.p256, .p384, .rsa(bits: 2048), .ed25519]) func spkiRoundTrip(
    kind: KeyKind
  ) throws {
    try #require(TestArena.ready)
    let spki = try PrivateKey.generate(kind).spki
    let key = try PublicKey(spki: spki)
    #expect(key.spki == spki && key.kind == kind)
  }

  /// A byte more, a byte less, and every changed byte of the frame.
  @Test(arguments: [(KeyKind.p256, 27), (.p384, 24), (.ed25519, 12)]) func refusesOtherFrames(
    kind: KeyKind, frame: Int
  ) throws {
    try #require(TestArena.ready)
    let spki = try PrivateKey.generate(kind).spki
    for other in [spki + [0], Array(spki.dropLast()), []] {
      #expect(throws: CryptoError.self) { _ = try PublicKey(spki: other) }
    }
    for index in 0..<frame {
      var changed = spki
      changed[index] ^= 1
      #expect(throws: CryptoError.self, "byte \(index)") { _ = try PublicKey(spki: changed) }
    }
  }

  @Test func refusesOffCurve() throws {
    try #require(TestArena.ready)
    var spki = try PrivateKey.generate(.p256).spki
    spki[90] ^= 1
    #expect(throws: CryptoError.invalidPoint) { _ = try PublicKey(spki: spki) }
  }

  /// A modulus of 1024 bits, an exponent of 3, an even modulus.
  @Test func refusesWeakRSA() throws {
    try #require(TestArena.ready)
    let spki = try PrivateKey.generate(.rsa(bits: 2048)).spki
    let prefix = Array(spki.prefix(33))
    let modulus = Array(spki[33..<289])
    #expect(throws: CryptoError.invalidKey) {
      _ = try PublicKey(
        spki: prefix + modulus.dropLast() + [modulus[255] & 0xFE] + [0x02, 0x03, 0x01, 0x00, 0x01])
    }
    var three = prefix + modulus + [0x02, 0x01, 0x03]
    // Every length that holds the exponent is two less.
    for index in [3, 22, 27] { three[index] &-= 2 }
    #expect(throws: CryptoError.invalidKey) { _ = try PublicKey(spki: three) }
  }

  @Test func pointsOfOtherKinds() throws {
    try #require(TestArena.ready)
    let bytes = [UInt8](repeating: 4, count: 65)
    #expect(throws: CryptoError.invalidInput) { _ = try PublicKey(point: bytes.span, on: .ed25519) }
    let rsa = try PrivateKey.generate(.rsa(bits: 2048)).publicKey
    #expect(rsa.point == nil)
  }
}

@Suite struct RandomTests {
  @Test func drawsDiffer() throws {
    try #require(TestArena.ready)
    let first = try Random.bytes(32)
    let second = try Random.bytes(32)
    let secret = try Random.secret(count: 32)
    #expect(first != second)
    #expect(Hex.encode(secret.bytes) != Hex.encode(first))
    #expect(try Random.bytes(0).isEmpty)
  }

  @Test func selfTestPasses() throws {
    try #require(TestArena.ready)
    #expect(SelfTest.run() == [])
    try CryptoBackend.start(arena: true)
  }
}
