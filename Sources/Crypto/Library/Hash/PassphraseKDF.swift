import COpenSSL
import CSodium
package import Host

/// Argon2id version 1.3 with one lane (RFC 9106), by libsodium.
///
/// While it runs, libsodium uses ordinary memory of `memoryLimit` bytes and a small heap block for
/// the result, which root could read. Before it returns it unmaps the first and wipes the second,
/// so nothing remains.
package enum Argon2id {
  package static let saltSize = 16

  /// - Parameters:
  ///   - passphrase: any length.
  ///   - salt: 16 bytes.
  ///   - opsLimit: passes over the memory, at least 1.
  ///   - memoryLimit: bytes, at least 8192; rounded down to whole KiB.
  ///   - count: 16...1024 bytes of output.
  /// - Throws: `invalidInput` outside those sizes, `exhausted` if the memory cannot be allocated.
  package static func derive(
    passphrase: Span<UInt8>, salt: Span<UInt8>, opsLimit: Int, memoryLimit: Int, count: Int
  ) throws(CryptoError) -> SecretBuffer {
    guard salt.count == saltSize, (16...1024).contains(count),
      (1...Int(UInt32.max)).contains(opsLimit),
      (8192...1 << 36).contains(memoryLimit), passphrase.count <= Int(UInt32.max)
    else { throw .invalidInput }
    var derived = try SecretBuffer.make(count)
    var out = derived.mutableBytes
    let start = unsafe UnsafeRawPointer(passphrase.start).assumingMemoryBound(to: CChar.self)
    let result = unsafe crypto_pwhash_argon2id(
      out.mutableStart, UInt64(count), start, UInt64(passphrase.count), salt.start,
      UInt64(opsLimit), memoryLimit,
      crypto_pwhash_argon2id_alg_argon2id13())
    guard result == 0 else { throw .exhausted }
    return derived
  }
}

/// PBKDF2 with HMAC (RFC 8018 §5.2), for others' formats: key files and SLIP-39. Our own
/// passphrases use `Argon2id`.
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
    guard let passphraseCount = Int32(exactly: passphrase.count),
      let saltCount = Int32(exactly: salt.count),
      let rounds = Int32(exactly: iterations), rounds > 0, (1...64).contains(count)
    else { throw .invalidInput }
    var derived = try SecretBuffer.make(count)
    var out = derived.mutableBytes
    let start = unsafe UnsafeRawPointer(passphrase.start).assumingMemoryBound(to: CChar.self)
    try unsafe check(
      PKCS5_PBKDF2_HMAC(
        start, passphraseCount, salt.start, saltCount, rounds, prf.digest, Int32(count),
        out.mutableStart))
    return derived
  }
}
