import Crypto
import Format
import Host
import KeyStore
import Operations
import ServiceHarness
import TestSupport
import Testing

@Suite struct AgreementTests {
  @Test(
    "[OP-ECDH-1] [OP-ECDH-2] both curves, as a point and as SubjectPublicKeyInfo, agree with the other side",
    arguments: [KeyKind.p256, .p384])
  func agrees(_ kind: KeyKind) throws {
    let scene = try PrimitiveScene()
    let peer = try PrivateKey.generate(kind)
    let id = kind == .p256 ? scene.key(.agreement) : scene.agreementP384
    let spki = try publicKey(of: id, scene)
    let z = try peer.agree(withPeer: spki.span)
    let expected = z.bytes.array
    #expect(
      try scene.ask(.ecdh, id, Body.ecdh(peer.publicKey.point ?? [], release: true)).sharedSecret
        == expected)
    #expect(try scene.ask(.ecdh, id, Body.ecdh(peer.spki, release: true)).sharedSecret == expected)
    #expect(expected.count == (kind == .p256 ? 32 : 48))
  }

  @Test("[OP-ECDH-2] any other peer is refused") func peers() throws {
    let scene = try PrimitiveScene()
    let p256 = try PrivateKey.generate(.p256).publicKey
    let p384 = try PrivateKey.generate(.p384).publicKey
    let point = p256.point ?? []
    var offCurve = point
    offCurve[64] ^= 1
    let compressed = [2 | point[64] & 1] + point[1...32]
    let hybrid = [6 | point[64] & 1] + point[1...64]
    let explicit = Array(p256.spki.dropLast())
    let ed25519 = try PrivateKey.generate(.ed25519).spki
    for peer in [
      [], [0], [4], offCurve, compressed, hybrid, point + [0], Array(point.dropLast()), explicit,
      ed25519, p384.point ?? [], p384.spki,
    ] {
      #expect(try scene.ask(.ecdh, scene.key(.agreement), Body.ecdh(peer)) == "peer-key")
    }
    for peer in [point, p256.spki] {
      #expect(try scene.ask(.ecdh, scene.agreementP384, Body.ecdh(peer)) == "peer-key")
    }
    #expect(!scene.connection.expire())
  }

  @Test(
    "[OP-KDF-1] [OP-KDF-2] every derivation gives what the other side derives",
    arguments: DerivationChoice.allCases)
  func derives(_ choice: DerivationChoice) throws {
    let scene = try PrimitiveScene()
    let peer = try PrivateKey.generate(.p256)
    let spki = try publicKey(of: scene.key(.agreement), scene)
    let z = try peer.agree(withPeer: spki.span)
    let hkdf = [.hkdfSHA256, .hkdfSHA384, .hkdfSHA512].contains(choice)
    let (info, salt): ([UInt8], [UInt8]) = (Array("info".utf8), hkdf ? [1, 2, 3] : [])
    for count in [16, 32, 100, 256] {
      let secret = try scene.ask(.ecdh, scene.key(.agreement), Body.ecdh(peer.spki)).handle
      let derived = try scene.ask(
        .kdf, scene.key(.agreement),
        Body.kdf(secret, choice, count: count, info: info, salt: salt, release: true))
      #expect(try derived.derivedKey == Self.expected(choice, z, info, salt, count))
    }
    guard !hkdf else { return }
    let secret = try scene.sharedSecret()
    #expect(
      try scene.ask(.kdf, scene.key(.agreement), Body.kdf(secret, choice, salt: [1]))
        == "parameters")
  }

  @Test("[OP-KDF-3] Apple Pay's OtherInfo in parts is the same as in one") func parts() throws {
    let scene = try PrimitiveScene()
    let peer = try PrivateKey.generate(.p256)
    let id = [0x0D] + Array("id-aes256-GCM".utf8)
    let u = Array("Apple".utf8)
    let v = [UInt8](repeating: 0x5A, count: 32)
    let key = scene.key(.agreement)
    let first = try scene.ask(
      .kdf, key, Body.kdf(scene.ask(.ecdh, key, Body.ecdh(peer.spki)).handle, id: id, u: u, v: v))
    let second = try scene.ask(
      .kdf, key,
      Body.kdf(scene.ask(.ecdh, key, Body.ecdh(peer.spki)).handle, info: id + u + v, release: true))
    #expect(try first.derivedKey == second.derivedKey)
    let spki = try publicKey(of: key, scene)
    #expect(try first.derivedKey == Self.oneStep(peer, spki, id + u + v))
  }

  @Test("[OP-UNWRAP-1] what was wrapped opens to a handle that seals, authenticates and derives")
  func unwraps() throws {
    let scene = try PrimitiveScene()
    let id = scene.key(.unwrappingRSA)
    let wrapper = try PublicKey(spki: publicKey(of: id, scene))
    let secret = [UInt8](repeating: 0x42, count: 32)
    func handle() throws -> [UInt8] {
      let wrapped = try wrapper.encryptOAEP(secret.span)
      return try scene.ask(.unwrap, id, Body.unwrap(wrapped)).handle
    }
    let mac = try scene.ask(.mac, id, Body.mac([1, 2], handle: handle(), .hmacSHA256)).mac
    let message: [UInt8] = [1, 2]
    let expected = try HMACSHA256.authenticate(key: secret.span, message.span)
    #expect(expected.bytes == mac)
    let spent = try handle()
    #expect(try scene.ask(.seal, id, Body.seal([1], handle: spent)) == "ok")
    #expect(try scene.ask(.kdf, id, Body.kdf(spent)) == "ok")
    #expect(try scene.ask(.seal, id, Body.seal([1], handle: spent)) == "denied")
    for count in [16, 64] {
      let other = [UInt8](repeating: 1, count: count)
      let wrapped = try wrapper.encryptOAEP(other.span)
      #expect(try scene.ask(.unwrap, id, Body.unwrap(wrapped)) == "ok")
    }
  }

  @Test("[OP-UNWRAP-1] every failure looks the same") func unwrapFailures() throws {
    let scene = try PrimitiveScene()
    let id = scene.key(.unwrappingRSA)
    let wrapper = try PublicKey(spki: publicKey(of: id, scene))
    let secret = [UInt8](repeating: 0x42, count: 65)
    let good = try wrapper.encryptOAEP(secret.span.extracting(first: 32))
    var changed = good
    changed[200] ^= 1
    let other = try PrivateKey.generate(.rsa(bits: 2048)).publicKey.encryptOAEP(
      secret.span.extracting(first: 32))
    let bad = [
      [], [1], changed, other, Array(good.dropLast()), good + [0],
      [UInt8](repeating: 0xFF, count: 256),
    ]
    for wrapped in bad { #expect(try scene.ask(.unwrap, id, Body.unwrap(wrapped)) == "unwrap") }
    for count in [0, 15, 65] {
      let wrapped = try wrapper.encryptOAEP(secret.span.extracting(first: count))
      #expect(try scene.ask(.unwrap, id, Body.unwrap(wrapped)) == "unwrap")
    }
  }

  private static func oneStep(_ key: PrivateKey, _ peer: [UInt8], _ info: [UInt8]) throws -> [UInt8]
  {
    let z = try key.agree(withPeer: peer.span)
    let derived = try OneStepKDF.sha256(z: z.bytes, otherInfo: info.span)
    return derived.bytes.array
  }

  private static func expected(
    _ choice: DerivationChoice, _ z: borrowing SecretBuffer, _ info: [UInt8], _ salt: [UInt8],
    _ count: Int
  ) throws -> [UInt8] {
    let (function, hash): (KeyDerivation.Function, HashAlgorithm) =
      switch choice {
      case .oneStepSHA256: (.oneStep, .sha256)
      case .oneStepSHA384: (.oneStep, .sha384)
      case .oneStepSHA512: (.oneStep, .sha512)
      case .x963SHA256: (.x963, .sha256)
      case .x963SHA384: (.x963, .sha384)
      case .x963SHA512: (.x963, .sha512)
      case .hkdfSHA256: (.hkdf, .sha256)
      case .hkdfSHA384: (.hkdf, .sha384)
      case .hkdfSHA512: (.hkdf, .sha512)
      }
    let derived = try KeyDerivation(function, hash).derive(
      secret: z.bytes, info: info.span, salt: salt.span, count: count)
    return derived.bytes.array
  }
}

/// The SubjectPublicKeyInfo of a key, as the store has it.
func publicKey(of id: KeyID, _ scene: PrimitiveScene) throws -> [UInt8] {
  scene.publicKeys[id] ?? []
}
