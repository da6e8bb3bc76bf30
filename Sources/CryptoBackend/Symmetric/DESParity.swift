/// The lowest bit of each byte of a DES key, which makes the byte's ones odd in number and which no cipher looks at (SP 800-67 §2).
package enum DESParity {
  /// Whether every byte has odd parity; takes as long whatever the key.
  package static func isOdd(_ key: Span<UInt8>) -> Bool {
    var wrong: UInt8 = 0
    for i in key.indices { wrong |= 1 ^ parity(key[i]) }
    return wrong == 0
  }

  /// Gives every byte odd parity.
  package static func setOdd(_ key: inout MutableSpan<UInt8>) {
    for i in key.indices { key[i] ^= 1 ^ parity(key[i]) }
  }

  /// Zeroes the parity bits, so that keys compare by what they encrypt with.
  package static func clear(_ key: inout MutableSpan<UInt8>) {
    for i in key.indices { key[i] &= 0xFE }
  }

  /// 1 for an odd number of ones; no table, which a cache would tell of.
  private static func parity(_ byte: UInt8) -> UInt8 {
    var folded = byte ^ byte >> 4
    folded ^= folded >> 2
    return (folded ^ folded >> 1) & 1
  }
}
