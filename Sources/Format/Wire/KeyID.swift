/// Sixteen bytes that identify a key on the wire and on disk.
///
/// For an asymmetric key they are the first half of the SHA-256 of its SubjectPublicKeyInfo, so an
/// Apple token's `publicKeyHash` identifies its key; for a symmetric key they are random. All zeros
/// mean no key.
package struct KeyID: Hashable, Sendable {
  package let high, low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// From the first sixteen bytes of `bytes`, or nil if there are fewer.
  package init?(prefixOf bytes: Span<UInt8>) {
    guard bytes.count >= Self.byteCount else { return nil }
    self.init(high: UInt64(bigEndian: bytes, at: 0), low: UInt64(bigEndian: bytes, at: 8))
  }

  package static let byteCount = 16
  package static let none = KeyID(high: 0, low: 0)

  /// Big-endian, sixteen bytes.
  package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}

extension KeyID: Comparable {
  /// In the order of their bytes and hexadecimal digits.
  package static func < (a: KeyID, b: KeyID) -> Bool { (a.high, a.low) < (b.high, b.low) }
}
