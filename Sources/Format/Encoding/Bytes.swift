extension Span where Element == UInt8 {
  /// A copy of public bytes; secrets must be copied into a `SecretBuffer` instead.
  package var array: [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(count)
    for i in indices { copy.append(self[i]) }
    return copy
  }
}

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
  package var bigEndianBytes: [UInt8] {
    (1...Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (Self.bitWidth - 8 * $0)) }
  }
}

extension MutableSpan where Element == UInt8 {
  @_lifetime(self: copy self)
  @inlinable
  package mutating func store(_ value: some FixedWidthInteger, at offset: Int) {
    let count = value.bitWidth / 8
    for i in 0..<count {
      self[offset + i] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - i)))
    }
  }
}

extension UInt8 {
  /// Whether it is an ASCII digit, of public text: it branches.
  package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension UInt64 {
  /// A number of one or more ASCII digits and nothing else; nil if it does not fit.
  package init?(digits: Span<UInt8>) {
    guard !digits.isEmpty else { return nil }
    self = 0
    for i in digits.indices {
      guard digits[i].isDigit else { return nil }
      let (tens, overflow) = multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt64(digits[i] - UInt8(ascii: "0")))
      guard !overflow, !carry else { return nil }
      self = sum
    }
  }
}

extension String {
  /// Its lines, which end with line feeds alone.
  ///
  /// `split(separator: "\n")` finds no line feed after a carriage return: the two are one
  /// `Character`.
  package func lines(omittingEmpty: Bool = true) -> [Substring] {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: omittingEmpty)
      .map { Substring($0) }
  }
}
