/// Classes of characters in JSON strings (RFC 8259 §7), told apart without a branch on the character.
package enum JSONText {
  /// Whether the byte stands in a string only as an escape: a quote, a backslash, or a control character.
  package static func isEscaped(_ byte: UInt8) -> Bool { special(byte) != 0 }

  /// Whether the byte is an ASCII character that stands for itself in a string.
  package static func isPlain(_ byte: UInt8) -> Bool { special(byte) | byte & 0x80 == 0 }

  /// Not zero for a byte that `isEscaped`.
  private static func special(_ byte: UInt8) -> UInt8 {
    isZero(byte ^ UInt8(ascii: "\"")) | isZero(byte ^ UInt8(ascii: "\\")) | isZero(byte & 0xE0)
  }

  /// 1 for zero, otherwise 0.
  private static func isZero(_ byte: UInt8) -> UInt8 { UInt8(truncatingIfNeeded: (UInt16(byte) &- 1) >> 15) }
}
