internal import COpenSSL
package import Host

/// HKDF with SHA-256 (RFC 5869), extract and expand.
package enum HKDFSHA256 {
  /// - Parameters:
  ///   - secret: at least one byte.
  ///   - count: 1...8160 bytes.
  /// - Throws: `invalidInput` outside those sizes.
  package static func derive(
    secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int
  ) throws(CryptoError) -> SecretBuffer {
    guard secret.count > 0, (1...255 * 32).contains(count) else { throw .invalidInput }
    let parameters = try Parameters()
    try parameters.add("digest", "SHA2-256")
    try parameters.add("key", secret)
    // No salt and an empty salt mean the same (§2.2), but OpenSSL accepts only the former.
    if salt.count > 0 { try parameters.add("salt", salt) }
    if info.count > 0 { try parameters.add("info", info) }
    let list = try parameters.build()
    let context = try unsafe Owned(EVP_KDF_CTX_new(Fetched.hkdf.pointer), EVP_KDF_CTX_free)
    var derived = try SecretBuffer.make(count)
    var out = derived.mutableBytes
    try unsafe check(EVP_KDF_derive(context.pointer, out.mutableStart, count, list.first))
    return derived
  }
}
