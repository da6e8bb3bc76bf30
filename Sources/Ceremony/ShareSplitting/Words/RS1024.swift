internal import CConstantTime
internal import Host

/// The Reed-Solomon code over GF(1024) in a share's last three words: detects up to three wrong words always, more nearly always.
enum RS1024 {
  static let count = 3

  private static let generator: [UInt32] = [
    0xE0E040, 0x1C1_C080, 0x383_8100, 0x707_0200, 0xE0E_0009, 0x1C0C_2412, 0x3808_6C24, 0x3090_FC48, 0x21B1_F890, 0x3F3_F120,
  ]

  /// Whether the checksum of the words, which include it, is right.
  static func holds(_ words: borrowing WordIndices, isExtendable: Bool) -> Bool {
    kist_declassified(remainder(words, isExtendable) == 1)
  }

  /// Writes the checksum to the last three words.
  static func fill(_ words: inout WordIndices, isExtendable: Bool) {
    for i in 0..<count { words[words.count - count + i] = 0 }
    let checksum = remainder(words, isExtendable) ^ 1
    for i in 0..<count { words[words.count - count + i] = UInt16(checksum >> UInt32(10 * (count - 1 - i)) & 1023) }
  }

  private static func remainder(_ words: borrowing WordIndices, _ isExtendable: Bool) -> UInt32 {
    var remainder: UInt32 = 1
    for byte in (isExtendable ? "shamir_extendable" : "shamir").utf8 { absorb(UInt32(byte), &remainder) }
    for i in 0..<words.count { absorb(UInt32(words[i]), &remainder) }
    return remainder
  }

  private static func absorb(_ value: UInt32, _ remainder: inout UInt32) {
    let top = remainder >> 20
    remainder = (remainder & 0xFFFFF) << 10 ^ value
    for bit in 0..<10 { remainder ^= generator[bit] & (0 &- (top >> UInt32(bit) & 1)) }
  }
}
