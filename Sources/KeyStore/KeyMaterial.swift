package import CryptoBackend
internal import KeyBlock
package import SecretMemory

/// A key itself; it stays in the arena.
package enum KeyMaterial: ~Copyable, Sendable {
  case privateKey(PrivateKey)
  case symmetric(SecretBuffer)
}

extension KeyMaterial {
  /// A private key for a merchant's role: RFC 5915 DER of an EC key, PKCS#1 DER of an RSA key.
  ///
  /// - Throws: `CryptoError.invalidKey`, for a role without private key too.
  package init(privateKeyDER der: Span<UInt8>, for role: KeyRole) throws(CryptoError) {
    switch role.blockUse.algorithm {
    case .ellipticCurve: self = .privateKey(try PrivateKey(ecPrivateKeyDER: der))
    case .rsa: self = .privateKey(try PrivateKey(rsaPrivateKeyDER: der))
    case .aes, .des, .dsa, .hmac, .tripleDES: throw .invalidKey
    }
  }

  /// Reads the key data of a block. [KS-BLOCK-DATA]
  init(_ data: consuming SecretBuffer, _ algorithm: KeyAlgorithm) throws(CryptoError) {
    switch algorithm {
    case .asymmetric(.p256), .asymmetric(.p384): self = .privateKey(try PrivateKey(ecPrivateKeyDER: data.bytes))
    case .asymmetric(.rsa): self = .privateKey(try PrivateKey(rsaPrivateKeyDER: data.bytes))
    case .asymmetric(.ed25519): self = .privateKey(try PrivateKey(pkcs8DER: data.bytes))
    case .hmacSHA256: self = .symmetric(data)
    }
  }

  // These two are here because Swift 6.3.1 crashes optimising the same switch over a class's property.

  borrowing func privateKey() -> PrivateKey? {
    switch self {
    case .privateKey(let key): key
    case .symmetric: nil
    }
  }

  borrowing func withSymmetricKey<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R? {
    switch self {
    case .privateKey: nil
    case .symmetric(let key): try body(key.bytes)
    }
  }

  /// What the key's own bytes say it is; nil where they cannot be a key of ours.
  borrowing func algorithm() -> KeyAlgorithm? {
    switch self {
    case .privateKey(let key): .asymmetric(key.kind)
    case .symmetric(let key): key.count == 32 ? .hmacSHA256 : nil
    }
  }

  borrowing func check() throws(CryptoError) -> KeyCheck {
    switch self {
    case .privateKey(let key): .spki(key.spki)
    case .symmetric(let key): .kcv(try KeyCheckValue.hmac(key.bytes))
    }
  }

  /// The key data of its block.
  borrowing func serialised() throws(CryptoError) -> SecretBuffer {
    switch self {
    case .privateKey(let key): return try key.serialised()
    case .symmetric(let key):
      do throws(SecretMemoryError) { return try SecretBuffer(copying: key.bytes) } catch { throw .exhausted }
    }
  }
}
