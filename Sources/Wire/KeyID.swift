/// Sixteen bytes that name a key on the wire and on disk.
///
/// For an asymmetric key they are the first half of SHA-256 over its SubjectPublicKeyInfo, so an Apple
/// token's `publicKeyHash` names its key; for a symmetric key they are random. All zero means no key.
package struct KeyID: Hashable, Sendable {
  package let high, low: UInt64

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// From the first sixteen bytes of `bytes`, or nil where there are fewer.
  package init?(prefixOf bytes: Span<UInt8>) {
    guard bytes.count >= Self.byteCount else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    for i in 0..<8 { high = high << 8 | UInt64(bytes[i]) }
    for i in 8..<16 { low = low << 8 | UInt64(bytes[i]) }
    self.init(high: high, low: low)
  }

  package static let byteCount = 16
  package static let none = KeyID(high: 0, low: 0)

  /// Big-endian, sixteen bytes.
  package var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * $0)) } + (0..<8).map { UInt8(truncatingIfNeeded: low >> (56 - 8 * $0)) }
  }
}
