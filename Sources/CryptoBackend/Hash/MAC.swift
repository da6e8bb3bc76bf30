internal import COpenSSL
internal import SecretMemory

/// A keyed EVP_MAC context that is copied for each message, so that no message pays for a fetch.
final class MAC: Sendable {
  private let template: Owned

  /// - Parameters:
  ///   - parameter: `digest` or `cipher`, and the algorithm's name.
  ///   - keySize: a key size it takes, in bytes: OpenSSL copies a context only once it has had a key.
  init(_ name: String, _ parameter: StaticString, _ algorithm: StaticString, keySize: Int) throws(CryptoError) {
    let mac = try unsafe Owned(EVP_MAC_fetch(nil, name, nil), EVP_MAC_free)
    template = try unsafe Owned(EVP_MAC_CTX_new(mac.pointer), EVP_MAC_CTX_free)
    let zeros = [UInt8](repeating: 0, count: keySize)
    let parameters = try Parameters()
    try parameters.add(parameter, algorithm)
    let list = try parameters.build()
    try unsafe check(EVP_MAC_init(template.pointer, zeros, zeros.count, list.first))
  }

  /// Writes the whole tag over `message` to the front of `out`.
  func authenticate(key: Span<UInt8>, _ message: Span<UInt8>, into out: inout MutableSpan<UInt8>) throws(CryptoError) {
    let context = try unsafe Owned(EVP_MAC_CTX_dup(template.pointer), EVP_MAC_CTX_free)
    var written = 0
    try unsafe check(EVP_MAC_init(context.pointer, key.start, key.count, nil))
    try unsafe check(EVP_MAC_update(context.pointer, message.start, message.count))
    try unsafe check(EVP_MAC_final(context.pointer, out.mutableStart, &written, out.count))
  }

  /// The whole tag of `count` bytes, for values that may be shown.
  func tag(key: Span<UInt8>, _ message: Span<UInt8>, count: Int) throws(CryptoError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: count)
    var out = tag.mutableSpan
    try authenticate(key: key, message, into: &out)
    return tag
  }

  /// Likewise as a secret, where the tag serves as a key.
  func secretTag(key: Span<UInt8>, _ message: Span<UInt8>, count: Int) throws(CryptoError) -> SecretBuffer {
    var tag = try SecretBuffer.make(count)
    var out = tag.mutableBytes
    try authenticate(key: key, message, into: &out)
    return tag
  }
}
