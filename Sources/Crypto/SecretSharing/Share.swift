internal import CConstantTime
package import Host

/// One share of a split secret, in the arena (SLIP-0039).
package struct Share: ~Copyable {
  /// The allowed sizes of a secret, in bytes.
  package static let sizes = [16, 24, 32]

  package let header: ShareHeader
  /// As long as the secret.
  package let value: SecretBuffer

  package init(header: ShareHeader, value: consuming SecretBuffer) {
    self.header = header
    self.value = value
  }
}

extension Share {
  /// Parses 21, 29 or 37 bytes: header (5) ‖ value. [KS-SHARE-FORM]
  ///
  /// - Throws: `SharingError.secretSize` for another number of bytes, and `.header`.
  package init(bytes: Span<UInt8>) throws(SharingError) {
    guard Self.sizes.contains(bytes.count - ShareHeader.byteCount) else { throw .secretSize }
    var packed: UInt64 = 0
    for i in 0..<ShareHeader.byteCount { packed = packed << 8 | UInt64(bytes[i]) }
    // A share's header is no secret.
    let header = try ShareHeader(packed: kist_declassified_number(packed))
    self.init(header: header, value: try SecretBuffer.copy(of: bytes.extracting(droppingFirst: ShareHeader.byteCount)))
  }

  /// Header (5 bytes) ‖ value (16, 24 or 32). [KS-SHARE-FORM]
  package func bytes() throws(SharingError) -> SecretBuffer {
    var share = try SecretBuffer.zeroed(ShareHeader.byteCount + value.count)
    var bytes = share.mutableBytes
    bytes.copy(header.bytes.span)
    bytes.copy(value.bytes, at: ShareHeader.byteCount)
    return share
  }

  /// Identifies this share in records and reveals nothing of its value.
  package var fingerprint: ShareFingerprint { ShareFingerprint(header, value.bytes) }
}
