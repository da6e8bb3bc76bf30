internal import Format

/// Five bytes that identify a share: SHA-256("share-fp/v2" ‖ header ‖ value)[0..<5].
package struct ShareFingerprint: Hashable, Sendable {
  package static let byteCount = 5
  package let bytes: [UInt8]

  init(_ header: ShareHeader, _ value: Span<UInt8>) {
    var hasher = SHA256.Hasher()
    let domain = Array("share-fp/v2".utf8)
    hasher.update(domain.span)
    hasher.update(header.bytes.span)
    hasher.update(value)
    bytes = Array(hasher.finish().bytes.prefix(Self.byteCount))
  }

  /// Parses ten hexadecimal digits.
  package init?(hex: some StringProtocol) {
    guard let bytes = Hex.decode(hex), bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }
}

extension ShareFingerprint: CustomStringConvertible {
  /// Ten lower-case digits.
  package var description: String { Hex.encode(bytes) }
}
