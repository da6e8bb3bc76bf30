package import Crypto
internal import Format

/// The facts of a copy that was made of the key store.
package struct Backup: Hashable, Sendable {
  /// Identifies the copy: KEYSTORE.md [KS-COPY-DIGEST].
  package let digest: Digest256
  /// The generation of the copy's manifest.
  package let generation: UInt64
  /// The number of keys in it, without the destroyed ones.
  package let keys: UInt64
  /// The first record of the log that restoring the copy needs.
  package let needs: UInt64

  package init(digest: Digest256, generation: UInt64, keys: UInt64, needs: UInt64) {
    (self.digest, self.generation, self.keys, self.needs) = (digest, generation, keys, needs)
  }
}

extension Backup {
  /// The members of `in.backup`.
  func write(into writer: inout CanonicalJSONWriter) {
    writer.member("digest", hex: digest.span)
    writer.member("generation", Int64(clamping: generation))
    writer.member("keys", Int64(clamping: keys))
    writer.member("needs", Int64(clamping: needs))
  }
}

extension CanonicalJSONReader {
  @_lifetime(self: copy self)
  mutating func readBackup() throws(CanonicalJSONError) -> Backup {
    var (digest, generation, keys, needs): (Digest256?, UInt64?, UInt64?, UInt64?)
    try readObject { (reader, name) throws(CanonicalJSONError) in
      switch name {
      case "digest":
        let place = try reader.readStringPlace()
        digest = Digest256(hexDigits: reader.bytes(place))
      case "generation": generation = try reader.readUnsigned()
      case "keys": keys = try reader.readUnsigned()
      case "needs": needs = try reader.readUnsigned()
      default: try reader.skip()
      }
    }
    guard let digest, let generation, let keys, let needs else { throw .schema }
    return Backup(digest: digest, generation: generation, keys: keys, needs: needs)
  }
}
