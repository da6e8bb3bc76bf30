package import Host

/// HMAC-SHA-256 (FIPS 198-1).
package enum HMACSHA256 {
  /// The 32-byte tag, when it is not secret.
  ///
  /// - Parameter key: any length.
  package static func authenticate(key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError) -> Digest256 {
    guard let mac else { throw .backend }
    return try Digest256 { out throws(CryptoError) in try mac.authenticate(key: key, message, into: &out) }
  }

  /// The same of a name and one or two values, which are put together in secret memory.
  ///
  /// - Throws: `CryptoError.exhausted` if the arena has no room for them.
  package static func authenticate(
    key: Span<UInt8>, _ name: [UInt8], _ value: Span<UInt8>, _ rest: Span<UInt8> = Span()
  ) throws(CryptoError) -> Digest256 {
    var message: SecretBuffer
    do throws(SecretMemoryError) { message = try SecretBuffer(count: name.count + value.count + rest.count) } catch { throw .exhausted }
    fill(&message, name, value, rest)
    return try authenticate(key: key, message.bytes)
  }

  private static func fill(_ message: inout SecretBuffer, _ name: [UInt8], _ value: Span<UInt8>, _ rest: Span<UInt8>) {
    var bytes = message.mutableBytes
    bytes.copy(name.span)
    bytes.copy(value, at: name.count)
    bytes.copy(rest, at: name.count + value.count)
  }

  /// The 32-byte tag in secret memory, when it serves as a key.
  package static func derive(key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    guard let mac else { throw .backend }
    return try mac.secretTag(key: key, message, count: 32)
  }

  static let mac = try? MAC("HMAC", "digest", "SHA2-256", keySize: 32)
}
