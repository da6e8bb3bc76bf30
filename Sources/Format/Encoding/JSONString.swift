import CConstantTime

/// Decodes one JSON string scalar by scalar, checking UTF-8 and escapes (RFC 8259 §7).
struct JSONStringDecoder: ~Escapable {
  private let text: Span<UInt8>
  /// The offset after the last byte read; after the closing quote once `next` has returned nil.
  private(set) var position: Int
  private var isClosed = false

  /// - Parameter openingQuote: the offset of the string's first quote.
  @_lifetime(copy text)
  init(_ text: Span<UInt8>, openingQuote: Int) {
    self.text = text
    position = openingQuote + 1
  }

  /// The next scalar, or nil at the closing quote.
  mutating func next() throws(JSONReaderError) -> Unicode.Scalar? {
    guard !isClosed else { return nil }
    let first = try byte()
    switch first {
    case UInt8(ascii: "\""):
      isClosed = true
      return nil
    case UInt8(ascii: "\\"): return try escape()
    case 0x00..<0x20: throw .malformed
    case 0x20..<0x80: return Unicode.Scalar(first)
    case 0xC2..<0xE0: return try scalar(UInt32(first & 0x1F), continuations: 1, least: 0x80)
    case 0xE0..<0xF0: return try scalar(UInt32(first & 0x0F), continuations: 2, least: 0x800)
    case 0xF0..<0xF5: return try scalar(UInt32(first & 0x07), continuations: 3, least: 0x1_0000)
    case 0x80..<0xC2, 0xF5...0xFF: throw .malformed
    default: throw .malformed
    }
  }

  /// Skips plain ASCII up to the next quote, escape, control character or byte beyond ASCII.
  ///
  /// - Returns: what was skipped.
  @discardableResult
  mutating func passPlain() -> Range<Int> {
    let start = position
    // Where a string ends is structure; which characters it has is not.
    while position < text.count, kist_declassified(JSONText.isPlain(text[position])) {
      position += 1
    }
    return start..<position
  }

  /// Refuses overlong forms, which are below `least`, and surrogates and numbers above U+10FFFF,
  /// which are not scalars.
  private mutating func scalar(_ lead: UInt32, continuations: Int, least: UInt32)
    throws(JSONReaderError) -> Unicode.Scalar
  {
    var value = lead
    for _ in 0..<continuations {
      let byte = try byte()
      guard byte & 0xC0 == 0x80 else { throw .malformed }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard value >= least, let scalar = Unicode.Scalar(value) else { throw .malformed }
    return scalar
  }

  private mutating func escape() throws(JSONReaderError) -> Unicode.Scalar {
    switch try byte() {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape()
    default: throw .malformed
    }
  }

  private mutating func unicodeEscape() throws(JSONReaderError) -> Unicode.Scalar {
    let unit = try fourDigits()
    guard (0xD800..<0xDC00).contains(unit) else {
      guard let scalar = Unicode.Scalar(unit) else { throw .malformed }
      return scalar
    }
    guard try byte() == UInt8(ascii: "\\"), try byte() == UInt8(ascii: "u") else {
      throw .malformed
    }
    let low = try fourDigits()
    guard (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { throw .malformed }
    return scalar
  }

  private mutating func fourDigits() throws(JSONReaderError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Hex.value(try byte()) else { throw .malformed }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  private mutating func byte() throws(JSONReaderError) -> UInt8 {
    guard position < text.count else { throw .malformed }
    defer { position += 1 }
    return text[position]
  }
}

/// Classes of characters in JSON strings (RFC 8259 §7), told apart without a branch on the
/// character.
package enum JSONText {
  /// Whether the byte stands in a string only as an escape: a quote, a backslash, or a control
  /// character.
  package static func isEscaped(_ byte: UInt8) -> Bool { special(byte) != 0 }

  /// Whether the byte is an ASCII character that stands for itself in a string.
  package static func isPlain(_ byte: UInt8) -> Bool { special(byte) | byte & 0x80 == 0 }

  /// Not zero for a byte that `isEscaped`.
  private static func special(_ byte: UInt8) -> UInt8 {
    isZero(byte ^ UInt8(ascii: "\"")) | isZero(byte ^ UInt8(ascii: "\\")) | isZero(byte & 0xE0)
  }

  /// 1 for zero, otherwise 0.
  private static func isZero(_ byte: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt16(byte) &- 1) >> 15)
  }
}
