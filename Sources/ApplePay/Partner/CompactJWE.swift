package import Crypto
package import Format
internal import Host

/// A JWE in compact serialisation (RFC 7516 §7.1) for one recipient, with A256GCM. [OP-PARTNER-4]
///
/// What is encrypted is in the arena; header and result are public.
package enum CompactJWE {
  /// RSA-OAEP-256, or ECDH-ES in direct agreement on P-256, as the key is.
  ///
  /// - Throws: `CryptoError.invalidKey` for any other key.
  package static func seal(_ plaintext: Span<UInt8>, for key: PublicKey, _ members: JWEMembers, at now: Timestamp) throws(CryptoError) -> String {
    switch key.kind {
    case .rsa:
      let content = try Random.secret(count: contentKeySize)
      let wrapped = try key.encryptOAEP(content.bytes)
      return try seal(plaintext, under: content, JWEHeader("RSA-OAEP-256", members, at: now), wrapped)
    case .p256:
      let agreed = try ECDHES(with: key)
      return try seal(plaintext, under: agreed.contentKey, JWEHeader("ECDH-ES", members, at: now, [.epk(agreed.ephemeral)]), [])
    case .p384, .ed25519: throw .invalidKey
    }
  }

  /// A256GCMKW (RFC 7518 §4.7).
  ///
  /// - Parameter shared: 32 bytes; the caller counts how often it encrypts, for the nonce is random.
  package static func seal(
    _ plaintext: Span<UInt8>, underShared shared: Span<UInt8>, _ members: JWEMembers, at now: Timestamp
  ) throws(CryptoError) -> String {
    guard shared.count == contentKeySize else { throw .invalidKey }
    let content = try Random.secret(count: contentKeySize)
    let iv = try Random.bytes(ivSize)
    let (wrapped, tag) = try wrap(content.bytes, under: shared, iv: iv)
    return try seal(plaintext, under: content, JWEHeader("A256GCMKW", members, at: now, [.iv(iv), .tag(tag)]), wrapped)
  }

  static func wrap(_ content: Span<UInt8>, under shared: Span<UInt8>, iv: [UInt8]) throws(CryptoError) -> (key: [UInt8], tag: [UInt8]) {
    let sealed = try AESGCM.seal(key: shared, iv: iv.span, plaintext: content)
    return (Array(sealed.dropLast(AESGCM.tagSize)), Array(sealed.suffix(AESGCM.tagSize)))
  }

  /// How much longer than its plaintext's base64 it is at most, in bytes.
  package static let overhead = 3072

  private static func seal(
    _ plaintext: Span<UInt8>, under content: borrowing SecretBuffer, _ header: JWEHeader, _ wrapped: [UInt8]
  ) throws(CryptoError) -> String {
    try encrypt(plaintext, under: content.bytes, iv: Random.bytes(ivSize), header: header.text, wrapped)
  }

  static func encrypt(
    _ plaintext: Span<UInt8>, under content: Span<UInt8>, iv: [UInt8], header: String, _ wrapped: [UInt8]
  ) throws(CryptoError) -> String {
    let protected = Base64URL.encode(Array(header.utf8))
    // The header, as it is sent, is authenticated.
    let sealed = try AESGCM.seal(key: content, iv: iv.span, plaintext: plaintext, aad: protected.utf8.span)
    let parts = [wrapped, iv, sealed.dropLast(AESGCM.tagSize), sealed.suffix(AESGCM.tagSize)]
    return ([protected] + parts.map { Base64URL.encode(Array($0)) }).joined(separator: ".")
  }

  private static let contentKeySize = 32
  private static let ivSize = 12
}
