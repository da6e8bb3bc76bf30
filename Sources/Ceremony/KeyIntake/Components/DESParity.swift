internal import CConstantTime

/// The parity bit: the lowest bit of each byte of a DES key, which gives the byte an odd number of ones and which ciphers ignore (SP 800-67 §2).
package enum DESParity {
  /// Whether every byte has odd parity, in constant time.
  package static func isOdd(_ key: Span<UInt8>) -> Bool {
    var wrong: UInt8 = 0
    for i in key.indices { wrong |= 1 ^ parity(key[i]) }
    // Callers refuse such a component.
    return kist_declassified(wrong == 0)
  }

  /// Sets odd parity in every byte.
  package static func setOdd(_ key: inout MutableSpan<UInt8>) {
    for i in key.indices { key[i] ^= 1 ^ parity(key[i]) }
  }

  /// Clears the parity bits, so that keys that encrypt alike compare equal.
  package static func clear(_ key: inout MutableSpan<UInt8>) {
    for i in key.indices { key[i] &= 0xFE }
  }

  /// 1 for an odd number of ones; without a table, whose use would show in the cache.
  private static func parity(_ byte: UInt8) -> UInt8 {
    var folded = byte ^ byte >> 4
    folded ^= folded >> 2
    return (folded ^ folded >> 1) & 1
  }
}
