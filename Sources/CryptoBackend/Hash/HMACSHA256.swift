package import SecretMemory

/// HMAC-SHA-256 (FIPS 198-1).
package enum HMACSHA256 {
  /// The 32-byte tag, for values that may be shown.
  ///
  /// - Parameter key: any length.
  package static func authenticate(key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError) -> Digest256 {
    try Digest256 { out throws(CryptoError) in try compute(key, message, &out) }
  }

  /// The 32 bytes as a secret, where the tag serves as a key.
  package static func derive(key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    var tag = try SecretBuffer.make(32)
    var out = tag.mutableBytes
    try compute(key, message, &out)
    return tag
  }

  static let mac = try? MAC("HMAC", "digest", "SHA2-256", keySize: 32)

  private static func compute(_ key: Span<UInt8>, _ message: Span<UInt8>, _ out: inout MutableSpan<UInt8>) throws(CryptoError) {
    guard let mac else { throw .backend }
    try mac.authenticate(key: key, message, into: &out)
  }
}
