internal import COpenSSL

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
