import Format
import Host

/// A known-answer test of each primitive that the daemon uses, run before it opens a key.
package enum SelfTest {
  package enum Primitive: CaseIterable, Sendable {
    case sha256, hmac, hkdf, oneStepKDF, aesGCM, aesCBC, aesCMAC, ff1, ecdh, ecdsa, ed25519,
      rsaOAEP, argon2id, random
  }

  /// The primitives that failed; empty if all passed.
  package static func run() -> [Primitive] {
    Primitive.allCases.filter { primitive in
      do throws(CryptoError) { return try !passes(primitive) } catch { return true }
    }
  }

  private static func passes(_ primitive: Primitive) throws(CryptoError) -> Bool {
    switch primitive {
    case .sha256: SHA256.hash(Array("abc".utf8)).hex == KnownAnswer.sha256
    case .hmac: try hmac()
    case .hkdf: try hkdf()
    case .oneStepKDF: try oneStepKDF()
    case .aesGCM: try aesGCM()
    case .aesCBC: try aesCBC()
    case .aesCMAC: try aesCMAC()
    case .ff1: try ff1()
    case .ecdh: try ecdh()
    case .ecdsa: try ecdsa()
    case .ed25519: try ed25519()
    case .rsaOAEP: try rsaOAEP()
    case .argon2id: try argon2id()
    case .random: try random()
    }
  }
}

extension SelfTest {
  private static func hmac() throws(CryptoError) -> Bool {
    let known = KnownAnswer.hmac
    let key = try bytes(known.key)
    let message = try bytes(known.message)
    return try HMACSHA256.authenticate(key: key.span, message.span).hex == known.tag
  }

  private static func hkdf() throws(CryptoError) -> Bool {
    let known = KnownAnswer.hkdf
    let secret = try bytes(known.secret)
    let salt = try bytes(known.salt)
    let info = try bytes(known.info)
    let derived = try HKDFSHA256.derive(
      secret: secret.span, salt: salt.span, info: info.span, count: 42)
    return try matches(derived, known.derived)
  }

  private static func oneStepKDF() throws(CryptoError) -> Bool {
    let known = KnownAnswer.oneStep
    let z = try bytes(known.z)
    let otherInfo = try bytes(known.otherInfo)
    let expected = try bytes(known.derived)
    let derived = try OneStepKDF.sha256(z: z.span, otherInfo: otherInfo.span, count: expected.count)
    return try matches(derived, known.derived)
  }

  /// Encrypts, decrypts, and refuses a changed tag.
  private static func aesGCM() throws(CryptoError) -> Bool {
    let known = KnownAnswer.gcm
    let key = try bytes(known.key)
    let iv = try bytes(known.iv)
    let plaintext = try bytes(known.plaintext)
    var sealed = try bytes(known.sealed)
    let size = plaintext.count
    guard try AESGCM.seal(key: key.span, iv: iv.span, plaintext: plaintext.span) == sealed else {
      return false
    }
    let opened = try AESGCM.open(
      key: key.span, iv: iv.span, ciphertext: sealed.span.extracting(0..<size),
      tag: sealed.span.extracting(size..<sealed.count))
    guard try matches(opened, known.plaintext) else { return false }
    sealed[size] ^= 1
    do throws(CryptoError) {
      _ = try AESGCM.open(
        key: key.span, iv: iv.span, ciphertext: sealed.span.extracting(0..<size),
        tag: sealed.span.extracting(size..<sealed.count))
      return false
    } catch { return error == .authenticationFailed }
  }

  private static func aesCBC() throws(CryptoError) -> Bool {
    let known = KnownAnswer.cbc
    let key = try bytes(known.key)
    let iv = try bytes(known.iv)
    let plaintext = try bytes(known.plaintext)
    let ciphertext = try BlockCipher.aes.encrypt(
      key: key.span, iv: iv.span, plaintext: plaintext.span)
    guard Hex.encode(ciphertext) == known.ciphertext else { return false }
    return try matches(
      try BlockCipher.aes.decrypt(key: key.span, iv: iv.span, ciphertext: ciphertext.span),
      known.plaintext)
  }

  private static func aesCMAC() throws(CryptoError) -> Bool {
    let known = KnownAnswer.cmac
    let key = try bytes(known.key)
    let message = try bytes(known.message)
    return Hex.encode(try BlockCipher.aes.cmac(key: key.span, message: message.span)) == known.tag
  }

  /// Encrypts and decrypts.
  private static func ff1() throws(CryptoError) -> Bool {
    let known = KnownAnswer.ff1
    let key = try bytes(known.key)
    let tweak = try bytes(known.tweak)
    let digits = try bytes(known.digits)
    let encrypted = try FF1.encrypt(key: key.span, tweak: tweak.span, digits: digits.span)
    guard try matches(encrypted, known.encrypted) else { return false }
    return try matches(
      try FF1.decrypt(key: key.span, tweak: tweak.span, digits: encrypted.bytes), known.digits)
  }

  /// Computes the shared secret, and refuses a point off the curve.
  private static func ecdh() throws(CryptoError) -> Bool {
    let known = KnownAnswer.ecdh
    let scalar = try bytes(known.scalar)
    var point = try bytes(known.point)
    let key = try PrivateKey(scalar: scalar.span, on: .p256)
    guard try matches(try key.agree(with: point.span), known.z) else { return false }
    guard try matches(try EphemeralKey(scalar: scalar.span).agree(with: point.span), known.z) else {
      return false
    }
    point[64] ^= 1
    do throws(CryptoError) {
      _ = try key.agree(with: point.span)
      return false
    } catch { return error == .invalidPoint }
  }

  private static func ecdsa() throws(CryptoError) -> Bool {
    let known = KnownAnswer.ecdsa
    let spki = try bytes(known.spki)
    let signature = try bytes(known.signature)
    let message: [UInt8] = []
    let other: [UInt8] = [0]
    let key = try PublicKey(spki: spki.span)
    return key.verify(signature: signature.span, message: message.span)
      && !key.verify(signature: signature.span, message: other.span)
  }

  private static func ed25519() throws(CryptoError) -> Bool {
    let known = KnownAnswer.ed25519
    let seed = try bytes(known.seed)
    let message = try bytes(known.message)
    let other: [UInt8] = []
    let key = try PrivateKey(ed25519Seed: seed.span)
    let signature = try key.sign(message.span)
    return Hex.encode(signature) == known.signature
      && key.publicKey.verify(signature: signature.span, message: message.span)
      && !key.publicKey.verify(signature: signature.span, message: other.span)
  }

  private static func rsaOAEP() throws(CryptoError) -> Bool {
    let known = KnownAnswer.oaep
    let der = try bytes(known.privateKey)
    let ciphertext = try bytes(known.ciphertext)
    let key = try PrivateKey(pkcs8DER: der.span)
    return try matches(try key.decryptOAEP(ciphertext.span), known.plaintext)
  }

  private static func argon2id() throws(CryptoError) -> Bool {
    let known = KnownAnswer.argon2id
    let passphrase = try bytes(known.passphrase)
    let salt = try bytes(known.salt)
    let derived = try Argon2id.derive(
      passphrase: passphrase.span, salt: salt.span, opsLimit: 1, memoryLimit: 8192, count: 32)
    return try matches(derived, known.derived)
  }

  /// Checks that two draws differ and are not zero.
  private static func random() throws(CryptoError) -> Bool {
    let first = try Random.bytes(32)
    let second = try Random.bytes(32)
    return first != second && first.contains { $0 != 0 }
  }

  private static func bytes(_ hex: String) throws(CryptoError) -> [UInt8] {
    guard let bytes = Hex.decode(hex) else { throw .backend }
    return bytes
  }

  private static func matches(_ secret: borrowing SecretBuffer, _ hex: String) throws(CryptoError)
    -> Bool
  {
    let expected = try bytes(hex)
    return ConstantTime.equal(secret.bytes, expected.span)
  }
}
