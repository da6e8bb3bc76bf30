extension FixedWidthInteger {
  /// The big-endian integer at `offset`; the caller must have checked the bounds.
  @inlinable
  package init(bigEndian bytes: Span<UInt8>, at offset: Int) {
    var value: Self = 0
    for i in 0..<Self.bitWidth / 8 { value = value << 8 | Self(bytes[offset + i]) }
    self = value
  }

  /// The most significant byte first.
  @inlinable
  package var bigEndianBytes: [UInt8] { (1...Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (Self.bitWidth - 8 * $0)) } }
}

extension MutableSpan where Element == UInt8 {
  @_lifetime(self: copy self)
  @inlinable
  package mutating func store(_ value: some FixedWidthInteger, at offset: Int) {
    let count = value.bitWidth / 8
    for i in 0..<count { self[offset + i] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - i))) }
  }
}
