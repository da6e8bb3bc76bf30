internal import CryptoBackend
package import SecretMemory

/// One share of a split secret, in the arena (SLIP-0039).
package struct Share: ~Copyable {
  package let header: ShareHeader
  /// As many bytes as the secret.
  let value: SecretBuffer

  /// Reads a whole share: its words, of which four letters each are enough, with white space between them.
  ///
  /// - Throws: `SharingError` for the words and their checksum, not for what other shares say.
  package init(words text: Span<UInt8>) throws(SharingError) {
    var entry = try ShareEntry()
    try entry.add(words: text)
    self = try entry.finish()
  }

  init(header: ShareHeader, value: consuming SecretBuffer) {
    self.header = header
    self.value = value
  }

  /// The words in lower case with one space between them, as they are written on a sheet.
  package func words() throws(SharingError) -> SecretBuffer {
    let indices = try indices()
    return try indices.text()
  }

  /// What names this share in records, and says nothing of its words.
  package func fingerprint() throws(SharingError) -> ShareFingerprint {
    let words = try words()
    return ShareFingerprint(words: words.bytes)
  }
}
