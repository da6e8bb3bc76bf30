internal import CryptoBackend
package import SecretMemory

/// One share of a split secret, in the arena (SLIP-0039).
package struct Share: ~Copyable {
  package let header: ShareHeader
  /// As long as the secret.
  let value: SecretBuffer

  /// Parses a share from words separated by white space; the first four letters of each word are enough.
  ///
  /// - Throws: `SharingError` for bad words or a wrong checksum; other shares are not looked at.
  package init(words text: Span<UInt8>) throws(SharingError) {
    var entry = try ShareEntry()
    try entry.add(words: text)
    self = try entry.finish()
  }

  init(header: ShareHeader, value: consuming SecretBuffer) {
    self.header = header
    self.value = value
  }

  /// The words in lower case, separated by single spaces, as they are printed.
  package func words() throws(SharingError) -> SecretBuffer {
    let indices = try indices()
    return try indices.text()
  }

  /// Identifies this share in records and reveals nothing of its words.
  package func fingerprint() throws(SharingError) -> ShareFingerprint {
    let words = try words()
    return ShareFingerprint(words: words.bytes)
  }
}
