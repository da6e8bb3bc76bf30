internal import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  package static func hash(_ bytes: Span<UInt8>) -> Digest256 {
    var hasher = Hasher()
    hasher.update(bytes)
    return hasher.finish()
  }

  package static func hash(_ bytes: [UInt8]) -> Digest256 { hash(bytes.span) }

  /// The hash of `first ‖ second`.
  package static func hash(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Digest256 {
    var hasher = Hasher()
    hasher.update(first)
    hasher.update(second)
    return hasher.finish()
  }

  /// An incremental hash.
  ///
  /// It uses OpenSSL's low-level functions without EVP, which do not allocate and so cannot fail. If the input is secret, up to
  /// 63 bytes of it pass over the stack, which the daemon wipes after each operation.
  package struct Hasher: ~Copyable {
    private var state = SHA256_CTX()

    package init() { unsafe SHA256_Init(&state) }

    package mutating func update(_ bytes: Span<UInt8>) {
      guard bytes.count > 0 else { return }
      unsafe SHA256_Update(&state, bytes.start, bytes.count)
    }

    package mutating func update(byte: UInt8) {
      unsafe withUnsafePointer(to: byte) { start in _ = unsafe SHA256_Update(&state, start, 1) }
    }

    package consuming func finish() -> Digest256 {
      Digest256 { out in unsafe SHA256_Final(out.mutableStart, &state) }
    }

    /// Writes the 32 bytes to `offset` of `out`, when the digest is secret.
    package consuming func finish(into out: inout MutableSpan<UInt8>, at offset: Int = 0) {
      precondition(offset >= 0 && out.count - offset >= 32)
      unsafe SHA256_Final(out.mutableStart + offset, &state)
    }
  }
}
