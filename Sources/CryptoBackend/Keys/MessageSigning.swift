internal import COpenSSL

/// An Ed25519 key (RFC 8032) that is ready to sign messages, one after the other.
final class MessageSigning: Sendable {
  private let context: Owned

  init(with key: borrowing Owned) throws(CryptoError) {
    context = try unsafe Owned(EVP_MD_CTX_new(), EVP_MD_CTX_free)
    try unsafe check(EVP_DigestSignInit_ex(context.pointer, nil, nil, nil, nil, key.pointer, nil))
  }

  /// The context for one message; without a key named it begins again with the one it has.
  @unsafe func begin() throws(CryptoError) -> OpaquePointer {
    try unsafe check(EVP_DigestSignInit_ex(context.pointer, nil, nil, nil, nil, nil, nil))
    return unsafe context.pointer
  }
}
