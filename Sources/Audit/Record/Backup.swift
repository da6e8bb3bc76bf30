package import CryptoBackend
internal import Encoding

/// A copy of the key store that was made.
package struct Backup: Hashable, Sendable {
  /// By which the copy is known: KEYSTORE.md [KS-COPY-DIGEST].
  package let digest: Digest256
  /// Of the copy's manifest.
  package let generation: UInt64
  /// All but the destroyed ones.
  package let keys: UInt64

  package init(digest: Digest256, generation: UInt64, keys: UInt64) {
    (self.digest, self.generation, self.keys) = (digest, generation, keys)
  }
}

extension Backup {
  /// The members of `in.backup`.
  func write(into writer: inout CanonicalJSONWriter) {
    writer.name("digest")
    writer.hex(digest.span)
    writer.name("generation")
    writer.integer(Int64(clamping: generation))
    writer.name("keys")
    writer.integer(Int64(clamping: keys))
  }
}
