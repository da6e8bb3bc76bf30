/// Thirty-two bytes of HMAC-SHA-256: a claim, or a retry digest.
package struct ClaimDigest: Hashable, Sendable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  package static let byteCount = 32
  package static let zero = ClaimDigest((0, 0, 0, 0))

  private init(_ words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// From exactly thirty-two bytes, otherwise nil.
  package init?(_ bytes: Span<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    func word(_ place: Int) -> UInt64 { UInt64(bigEndian: bytes, at: place) }
    self.init((word(0), word(8), word(16), word(24)))
  }

  package var bytes: [UInt8] { words.0.bigEndianBytes + words.1.bigEndianBytes + words.2.bigEndianBytes + words.3.bigEndianBytes }

  package static func == (a: ClaimDigest, b: ClaimDigest) -> Bool { a.words == b.words }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

extension ClaimDigest: Comparable {
  /// In the order of their bytes, which is also that of the store.
  package static func < (a: ClaimDigest, b: ClaimDigest) -> Bool { a.words < b.words }
}
