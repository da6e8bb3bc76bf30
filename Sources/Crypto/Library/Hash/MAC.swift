import COpenSSL
package import Host

/// A MAC whose prepared EVP_MAC context is copied for each message, which saves a fetch.
final class MAC: Sendable {
  private let template: Owned

  /// - Parameters:
  ///   - parameter: `digest` or `cipher`, and the algorithm's name.
  ///   - keySize: a key size that the algorithm accepts, in bytes: OpenSSL can copy a context only
  ///     after it was given a key.
  init(_ name: String, _ parameter: StaticString, _ algorithm: StaticString, keySize: Int)
    throws(CryptoError)
  {
    let mac = try unsafe Owned(EVP_MAC_fetch(nil, name, nil), EVP_MAC_free)
    template = try unsafe Owned(EVP_MAC_CTX_new(mac.pointer), EVP_MAC_CTX_free)
    let zeros = [UInt8](repeating: 0, count: keySize)
    let parameters = try Parameters()
    try parameters.add(parameter, algorithm)
    let list = try parameters.build()
    try unsafe check(EVP_MAC_init(template.pointer, zeros, zeros.count, list.first))
  }

  /// Writes the full tag over `message` to the front of `out`.
  func authenticate(key: Span<UInt8>, _ message: Span<UInt8>, into out: inout MutableSpan<UInt8>)
    throws(CryptoError)
  {
    let context = try unsafe Owned(EVP_MAC_CTX_dup(template.pointer), EVP_MAC_CTX_free)
    var written = 0
    try unsafe check(EVP_MAC_init(context.pointer, key.start, key.count, nil))
    try unsafe check(EVP_MAC_update(context.pointer, message.start, message.count))
    try unsafe check(EVP_MAC_final(context.pointer, out.mutableStart, &written, out.count))
  }

  /// The full tag of `count` bytes, when it is not secret.
  func tag(key: Span<UInt8>, _ message: Span<UInt8>, count: Int) throws(CryptoError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: count)
    var out = tag.mutableSpan
    try authenticate(key: key, message, into: &out)
    return tag
  }

  /// The full tag in secret memory, when it serves as a key.
  func secretTag(key: Span<UInt8>, _ message: Span<UInt8>, count: Int) throws(CryptoError)
    -> SecretBuffer
  {
    var tag = try SecretBuffer.make(count)
    var out = tag.mutableBytes
    try authenticate(key: key, message, into: &out)
    return tag
  }
}

/// HMAC with any of our hashes (FIPS 198-1).
package enum HMAC {
  /// The full tag, as long as the hash's digest; in secret memory, because it may serve as a key.
  ///
  /// - Parameter key: any length.
  package static func authenticate(_ hash: HashAlgorithm, key: Span<UInt8>, _ message: Span<UInt8>)
    throws(CryptoError) -> SecretBuffer
  {
    let prepared: MAC? =
      switch hash {
      case .sha256: HMACSHA256.mac
      case .sha384: sha384
      case .sha512: sha512
      }
    guard let prepared else { throw .backend }
    return try prepared.secretTag(key: key, message, count: hash.size)
  }

  static let sha384 = try? MAC("HMAC", "digest", "SHA2-384", keySize: 32)
  static let sha512 = try? MAC("HMAC", "digest", "SHA2-512", keySize: 32)
}

/// HMAC-SHA-256 (FIPS 198-1).
package enum HMACSHA256 {
  /// The 32-byte tag, when it is not secret.
  ///
  /// - Parameter key: any length.
  package static func authenticate(key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError)
    -> Digest256
  {
    guard let mac else { throw .backend }
    return try Digest256 { out throws(CryptoError) in
      try mac.authenticate(key: key, message, into: &out)
    }
  }

  /// The same of a name and one or two values, which are put together in secret memory.
  ///
  /// - Throws: `CryptoError.exhausted` if the arena has no room for them.
  package static func authenticate(
    key: Span<UInt8>, _ name: [UInt8], _ value: Span<UInt8>, _ rest: Span<UInt8> = Span()
  ) throws(CryptoError) -> Digest256 {
    var message = try SecretBuffer.make(name.count + value.count + rest.count)
    fill(&message, name, value, rest)
    return try authenticate(key: key, message.bytes)
  }

  private static func fill(
    _ message: inout SecretBuffer, _ name: [UInt8], _ value: Span<UInt8>, _ rest: Span<UInt8>
  ) {
    var bytes = message.mutableBytes
    bytes.copy(name.span)
    bytes.copy(value, at: name.count)
    bytes.copy(rest, at: name.count + value.count)
  }

  /// The 32-byte tag in secret memory, when it serves as a key.
  package static func derive(key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError)
    -> SecretBuffer
  {
    guard let mac else { throw .backend }
    return try mac.secretTag(key: key, message, count: 32)
  }

  static let mac = try? MAC("HMAC", "digest", "SHA2-256", keySize: 32)
}
