internal import COpenSSL
package import Host

/// PBKDF2 with HMAC (RFC 8018 §5.2), for others' formats: key files and SLIP-39. Our own passphrases use `Argon2id`.
package enum PBKDF2 {
  package enum PRF: Sendable {
    case sha1, sha224, sha256, sha384, sha512

    fileprivate var digest: OpaquePointer? {
      switch self {
      case .sha1: unsafe EVP_sha1()
      case .sha224: unsafe EVP_sha224()
      case .sha256: unsafe EVP_sha256()
      case .sha384: unsafe EVP_sha384()
      case .sha512: unsafe EVP_sha512()
      }
    }
  }

  /// - Parameters:
  ///   - iterations: at least one.
  ///   - count: 1...64 bytes.
  /// - Throws: `invalidInput` outside those sizes.
  package static func derive(
    passphrase: Span<UInt8>, salt: Span<UInt8>, iterations: Int, prf: PRF, count: Int
  ) throws(CryptoError) -> SecretBuffer {
    guard let passphraseCount = Int32(exactly: passphrase.count), let saltCount = Int32(exactly: salt.count),
      let rounds = Int32(exactly: iterations), rounds > 0, (1...64).contains(count)
    else { throw .invalidInput }
    var derived = try SecretBuffer.make(count)
    var out = derived.mutableBytes
    let start = unsafe UnsafeRawPointer(passphrase.start).assumingMemoryBound(to: CChar.self)
    try unsafe check(
      PKCS5_PBKDF2_HMAC(start, passphraseCount, salt.start, saltCount, rounds, prf.digest, Int32(count), out.mutableStart))
    return derived
  }
}
