package import SecretMemory

/// HMAC-SHA-256 (FIPS 198-1).
package enum HMACSHA256 {
  /// The 32-byte tag, when it is not secret.
  ///
  /// - Parameter key: any length.
  package static func authenticate(key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError) -> Digest256 {
    guard let mac else { throw .backend }
    return try Digest256 { out throws(CryptoError) in try mac.authenticate(key: key, message, into: &out) }
  }

  /// The 32-byte tag in secret memory, when it serves as a key.
  package static func derive(key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    guard let mac else { throw .backend }
    return try mac.secretTag(key: key, message, count: 32)
  }

  static let mac = try? MAC("HMAC", "digest", "SHA2-256", keySize: 32)
}
