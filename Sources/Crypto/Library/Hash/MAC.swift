internal import COpenSSL
internal import Host

/// A MAC whose prepared EVP_MAC context is copied for each message, which saves a fetch.
final class MAC: Sendable {
  private let template: Owned

  /// - Parameters:
  ///   - parameter: `digest` or `cipher`, and the algorithm's name.
  ///   - keySize: a key size that the algorithm accepts, in bytes: OpenSSL can copy a context only after it was given a key.
  init(_ name: String, _ parameter: StaticString, _ algorithm: StaticString, keySize: Int) throws(CryptoError) {
    let mac = try unsafe Owned(EVP_MAC_fetch(nil, name, nil), EVP_MAC_free)
    template = try unsafe Owned(EVP_MAC_CTX_new(mac.pointer), EVP_MAC_CTX_free)
    let zeros = [UInt8](repeating: 0, count: keySize)
    let parameters = try Parameters()
    try parameters.add(parameter, algorithm)
    let list = try parameters.build()
    try unsafe check(EVP_MAC_init(template.pointer, zeros, zeros.count, list.first))
  }

  /// Writes the full tag over `message` to the front of `out`.
  func authenticate(key: Span<UInt8>, _ message: Span<UInt8>, into out: inout MutableSpan<UInt8>) throws(CryptoError) {
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
  func secretTag(key: Span<UInt8>, _ message: Span<UInt8>, count: Int) throws(CryptoError) -> SecretBuffer {
    var tag = try SecretBuffer.make(count)
    var out = tag.mutableBytes
    try authenticate(key: key, message, into: &out)
    return tag
  }
}
