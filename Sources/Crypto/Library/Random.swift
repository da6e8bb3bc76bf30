import CLinux
package import Host

/// The kernel's random generator, directly into the caller's memory: we keep no generator state
/// that could leak or be forked.
package enum Random {
  package static func fill(_ out: inout MutableSpan<UInt8>) throws(CryptoError) {
    guard unsafe kist_random(out.mutableStart, out.count) == 0 else { throw .backend }
  }

  /// `count` bytes that are not secret: identifiers, nonces, salts.
  package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var out = bytes.mutableSpan
    try fill(&out)
    return bytes
  }

  /// `count` secret bytes.
  package static func secret(count: Int) throws(CryptoError) -> SecretBuffer {
    var secret = try SecretBuffer.make(count)
    var out = secret.mutableBytes
    try fill(&out)
    return secret
  }
}
