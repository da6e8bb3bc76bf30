import CConstantTime

/// Comparisons whose time depends on lengths alone; `make ct` shows that none branches on a byte.
package enum ConstantTime {
  package static func equal(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for i in a.indices { difference |= a[i] ^ b[i] }
    // Callers act on the answer.
    return kist_declassified(difference == 0)
  }

  /// Whether all bytes are ASCII digits.
  package static func areDigits(_ text: Span<UInt8>) -> Bool {
    var others: UInt8 = 0
    for i in text.indices { others |= topBit(ifAbove: 9, text[i] &- 0x30) }
    // Callers refuse other text.
    return kist_declassified(others < 0x80)
  }

  /// Whether all bytes are ASCII letters of either case or digits.
  package static func areLettersAndDigits(_ text: Span<UInt8>) -> Bool {
    var others: UInt8 = 0
    for i in text.indices {
      others |= topBit(ifAbove: 9, text[i] &- 0x30) & topBit(ifAbove: 25, (text[i] | 0x20) &- 0x61)
    }
    // Callers refuse other text.
    return kist_declassified(others < 0x80)
  }

  /// A byte whose top bit is set if `value` is above `limit`, which is below 128; its other bits
  /// mean nothing.
  private static func topBit(ifAbove limit: UInt8, _ value: UInt8) -> UInt8 {
    value | (value &+ (127 &- limit))
  }
}
