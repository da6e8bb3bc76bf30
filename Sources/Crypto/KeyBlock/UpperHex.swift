internal import Format

/// Upper-case hexadecimal, the only form that key blocks use.
enum UpperHex {
  static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for i in bytes.indices {
      text.append(digit(bytes[i] >> 4))
      text.append(digit(bytes[i] & 15))
    }
    return text
  }

  static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    for i in text.indices where !isDigit(text[i]) { return nil }
    return Hex.decode(text)
  }

  static func isDigit(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
    default: false
    }
  }

  static func digit(_ nibble: UInt8) -> UInt8 { Hex.digit(nibble, upperCase: true) }
}
