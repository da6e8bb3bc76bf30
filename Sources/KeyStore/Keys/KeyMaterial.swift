package import Crypto
package import Host

/// The bytes of a key, in the arena.
package enum KeyMaterial: ~Copyable, Sendable {
  case privateKey(PrivateKey)
  /// Another party's, who has the private one.
  case publicKey(PublicKey)
  case symmetric(SecretBuffer)
}

extension KeyMaterial {
  /// Parses a key for a role: RFC 5915 DER of an EC key, PKCS#1 DER of an RSA key, RFC 8410 DER of
  /// an Ed25519 key, the SubjectPublicKeyInfo of a public key, or the bytes of a symmetric one.
  ///
  /// - Throws: `CryptoError.invalidKey`.
  package init(keyData data: Span<UInt8>, for role: KeyRole) throws(CryptoError) {
    if let algorithm = role.symmetricAlgorithm {
      guard algorithm.allows(byteCount: data.count) else { throw .invalidKey }
      self = .symmetric(try SecretBuffer.make(copying: data))
    } else if role.isPublic {
      self = .publicKey(try PublicKey(spki: data))
    } else if role.allows(.asymmetric(.ed25519)) {
      self = .privateKey(try PrivateKey(pkcs8DER: data))
    } else if role.allows(.asymmetric(.p256)) {
      self = .privateKey(try PrivateKey(ecPrivateKeyDER: data))
    } else {
      self = .privateKey(try PrivateKey(rsaPrivateKeyDER: data))
    }
  }

  /// Parses the key data of a key block. [KS-BLOCK-DATA]
  init(_ data: consuming SecretBuffer, _ algorithm: KeyAlgorithm, of role: KeyRole)
    throws(CryptoError)
  {
    guard !role.isPublic else {
      self = .publicKey(try PublicKey(spki: data.bytes))
      return
    }
    switch algorithm {
    case .asymmetric(.p256), .asymmetric(.p384):
      self = .privateKey(try PrivateKey(ecPrivateKeyDER: data.bytes))
    case .asymmetric(.rsa): self = .privateKey(try PrivateKey(rsaPrivateKeyDER: data.bytes))
    case .asymmetric(.ed25519): self = .privateKey(try PrivateKey(pkcs8DER: data.bytes))
    case .hmac, .aes256, .tripleDES2, .hmacOTP: self = .symmetric(data)
    }
  }

  // These two are here because Swift 6.3.1 crashes when it optimises the same switch over a class's
  // property.

  borrowing func privateKey() -> PrivateKey? {
    switch self {
    case .privateKey(let key): key
    case .publicKey: nil
    case .symmetric: nil
    }
  }

  borrowing func publicKey() -> PublicKey? {
    switch self {
    case .privateKey(let key): key.publicKey
    case .publicKey(let key): key
    case .symmetric: nil
    }
  }

  borrowing func withSymmetricKey<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R)
    throws(E) -> R?
  {
    switch self {
    case .privateKey: nil
    case .publicKey: nil
    case .symmetric(let key): try body(key.bytes)
    }
  }

  /// The key's algorithm in this role; nil if it cannot have the role.
  package borrowing func algorithm(in role: KeyRole) -> KeyAlgorithm? {
    let algorithm: KeyAlgorithm? =
      switch self {
      case .privateKey(let key): role.isPublic ? nil : .asymmetric(key.kind)
      case .publicKey(let key): role.isPublic ? .asymmetric(key.kind) : nil
      case .symmetric(let key):
        role.symmetricAlgorithm.flatMap { $0.allows(byteCount: key.count) ? $0 : nil }
      }
    return algorithm.flatMap { role.allows($0) ? $0 : nil }
  }

  /// The value by which the key is recognised: KCV or SPKI.
  package borrowing func check(_ algorithm: KeyAlgorithm) throws(CryptoError) -> KeyCheck {
    switch self {
    case .privateKey(let key): return .spki(key.spki)
    case .publicKey(let key): return .spki(key.spki)
    case .symmetric(let key):
      switch algorithm {
      case .hmac, .hmacOTP: return .kcv(try KeyCheckValue.hmac(key.bytes))
      case .aes256: return .kcv(try KeyCheckValue.aes(key.bytes))
      case .tripleDES2: return .kcv(try KeyCheckValue.tripleDES(key.bytes))
      case .asymmetric: throw .invalidKey
      }
    }
  }

  /// The key data for its block.
  borrowing func serialised() throws(CryptoError) -> SecretBuffer {
    switch self {
    case .privateKey(let key): return try key.serialised()
    case .publicKey(let key):
      let spki = key.spki
      return try SecretBuffer.make(copying: spki.span)
    case .symmetric(let key): return try SecretBuffer.make(copying: key.bytes)
    }
  }
}

extension KeyMaterial {
  /// Generates a key with the kernel's random generator; it is in the arena from the start.
  ///
  /// - Throws: `CryptoError.invalidKey` for an algorithm whose keys others make (`TDEA-2`: Visa's
  ///   key sets, other HSMs' old exchange keys).
  package static func generate(_ algorithm: KeyAlgorithm) throws(CryptoError) -> KeyMaterial {
    switch algorithm {
    case .asymmetric(let kind): return .privateKey(try PrivateKey.generate(kind))
    case .hmac(let hash): return .symmetric(try Random.secret(count: hash.size))
    case .aes256, .hmacOTP: return .symmetric(try Random.secret(count: 32))
    case .tripleDES2: throw .invalidKey
    }
  }
}
