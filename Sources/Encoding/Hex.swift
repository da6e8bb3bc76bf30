/// Lower-case hexadecimal, for values that are not secret.
package enum Hex {
  package static func encode(_ bytes: Span<UInt8>) -> String {
    var digits: [UInt8] = []
    digits.reserveCapacity(bytes.count * 2)
    for i in bytes.indices {
      digits.append(digit(bytes[i] >> 4))
      digits.append(digit(bytes[i] & 15))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  package static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

  /// Decodes an even number of digits of either case, or returns nil.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(Array(text.utf8).span) }

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
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The lower-case digit of a value below 16.
  package static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
  }
}
