import COpenSSL
import Host

extension PrivateKey {
  /// From the 32-byte seed of RFC 8032.
  package convenience init(ed25519Seed seed: Span<UInt8>) throws(CryptoError) {
    guard seed.count == 32 else { throw .invalidKey }
    let key = try unsafe Owned(
      EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, seed.start, seed.count), EVP_PKEY_free)
    var raw = [UInt8](repeating: 0, count: 32)
    var size = raw.count
    try unsafe check(EVP_PKEY_get_raw_public_key(key.pointer, &raw, &size))
    self.init(kind: .ed25519, publicKey: try PublicKey(ed25519: raw.span), key: key)
  }

  /// The seed in PKCS #8 (RFC 8410 §7), 48 bytes.
  func ed25519PrivateKeyDER() throws(CryptoError) -> SecretBuffer {
    let prefix = Self.ed25519Prefix
    var seed = try SecretBuffer.make(32)
    var digits = seed.mutableBytes
    var size = 32
    try unsafe check(EVP_PKEY_get_raw_private_key(key.pointer, digits.mutableStart, &size))
    var der = try SecretBuffer.make(prefix.count + 32)
    var out = der.mutableBytes
    out.copy(prefix.span)
    out.copy(seed.bytes, at: prefix.count)
    return der
  }

  private static let ed25519Prefix: [UInt8] = [
    0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ]
}

/// A prepared Ed25519 signing context (RFC 8032) for one key, reusable for many messages.
final class MessageSigning: Sendable {
  private let context: Owned

  init(with key: borrowing Owned) throws(CryptoError) {
    context = try unsafe Owned(EVP_MD_CTX_new(), EVP_MD_CTX_free)
    try unsafe check(EVP_DigestSignInit_ex(context.pointer, nil, nil, nil, nil, key.pointer, nil))
  }

  /// Resets the context for the next message; without a key argument OpenSSL keeps the present key.
  @unsafe func begin() throws(CryptoError) -> OpaquePointer {
    try unsafe check(EVP_DigestSignInit_ex(context.pointer, nil, nil, nil, nil, nil, nil))
    return unsafe context.pointer
  }
}
