package import Host

/// HMAC with any of our hashes (FIPS 198-1).
package enum HMAC {
  /// The full tag, as long as the hash's digest; in secret memory, because it may serve as a key.
  ///
  /// - Parameter key: any length.
  package static func authenticate(_ hash: HashAlgorithm, key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    let prepared: MAC? =
      switch hash {
      case .sha256: HMACSHA256.mac
      case .sha384: sha384
      case .sha512: sha512
      }
    guard let prepared else { throw .backend }
    var tag = try SecretBuffer.make(hash.size)
    var out = tag.mutableBytes
    try prepared.authenticate(key: key, message, into: &out)
    return tag
  }

  static let sha384 = try? MAC("HMAC", "digest", "SHA2-384", keySize: 32)
  static let sha512 = try? MAC("HMAC", "digest", "SHA2-512", keySize: 32)
}
