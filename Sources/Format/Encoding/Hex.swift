import CConstantTime

/// Hexadecimal, in lower case unless said otherwise; digits are converted in constant time, so they
/// may be of secrets.
package enum Hex {
  package static func encode(_ bytes: Span<UInt8>) -> String {
    var digits = [UInt8](repeating: 0, count: 2 * bytes.count)
    var text = digits.mutableSpan
    write(bytes, into: &text, at: 0)
    return String(decoding: digits, as: UTF8.self)
  }

  package static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

  /// Writes two digits for each byte to `place` of `text`.
  package static func write(
    _ bytes: Span<UInt8>, into text: inout MutableSpan<UInt8>, at place: Int
  ) {
    for i in bytes.indices {
      text[place + 2 * i] = digit(bytes[i] >> 4)
      text[place + 2 * i + 1] = digit(bytes[i] & 15)
    }
  }

  /// Writes sixteen digits to `place` of `text`.
  package static func write(_ word: UInt64, into text: inout MutableSpan<UInt8>, at place: Int) {
    for i in 0..<16 {
      text[place + i] = digit(UInt8(truncatingIfNeeded: word &>> UInt64(60 - 4 * i)) & 15)
    }
  }

  /// Whether `text` is what `encode` returns.
  package static func isEncoded(_ bytes: Span<UInt8>, as text: Span<UInt8>) -> Bool {
    guard text.count == 2 * bytes.count else { return false }
    var (difference, place): (UInt64, Int) = (0, 0)
    while let eight = EightBytes(text, at: 2 * place) {
      difference |= eight.difference(fromDigitsOf: bytes, at: place)
      place += 4
    }
    for i in place..<bytes.count {
      difference |= UInt64(
        (text[2 * i] ^ digit(bytes[i] >> 4)) | (text[2 * i + 1] ^ digit(bytes[i] & 15)))
    }
    return difference == 0
  }

  /// Decodes an even number of digits of either case, or returns nil.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    decode(Array(text.utf8).span)
  }

  package static func decode(_ digits: Span<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for i in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[i]), let low = value(digits[i + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The value of one digit, or nil.
  package static func value(_ character: UInt8) -> UInt8? {
    let digit = Int16(character) &- 48
    let letter = Int16(character | 0x20) &- 97
    let isDigit = within(digit, 9)
    let isLetter = within(letter, 5)
    // Callers refuse other text.
    guard kist_declassified(isDigit | isLetter != 0) else { return nil }
    return UInt8(truncatingIfNeeded: isDigit & digit | isLetter & (letter &+ 10))
  }

  /// All ones for 0 to `limit`, otherwise zero.
  private static func within(_ value: Int16, _ limit: Int16) -> Int16 {
    ~((value | (limit &- value)) >> 15)
  }

  /// The digit of a value below 16.
  package static func digit(_ nibble: UInt8, upperCase: Bool = false) -> UInt8 {
    let isLetter = 0 &- ((nibble &+ 6) >> 4)
    return UInt8(ascii: "0") &+ nibble &+ (isLetter & (upperCase ? 7 : 39))
  }
}
