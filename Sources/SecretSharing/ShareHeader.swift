/// What all shares of one split say alike.
package struct Split: Hashable, Sendable {
  /// The split's number, 15 random bits.
  package let identifier: UInt16
  /// Whether the number is left out of the encryption, so that further splits of the same secret are possible.
  package let isExtendable: Bool
  /// 2ᵉ · 10 000 iterations of the passphrase.
  package let exponent: Int
  /// So many of the groups must come together.
  package let groupThreshold: Int
  package let groupCount: Int
}

/// The first four words of a share: which split, and which place in it.
package struct ShareHeader: Hashable, Sendable {
  package let split: Split
  /// Counted from 0.
  package let group: Int
  /// Counted from 0, in its group.
  package let member: Int
  /// So many members of this group must come together.
  package let memberThreshold: Int
}

extension ShareHeader {
  static let wordCount = 4

  /// The forty bits, in the order of SLIP-0039 "Format of the share mnemonic".
  var packed: UInt64 {
    let fields: [(value: Int, bits: UInt64)] = [
      (Int(split.identifier), 15), (split.isExtendable ? 1 : 0, 1), (split.exponent, 4), (group, 4), (split.groupThreshold - 1, 4),
      (split.groupCount - 1, 4), (member, 4), (memberThreshold - 1, 4),
    ]
    return fields.reduce(0) { $0 << $1.bits | UInt64($1.value) }
  }

  /// - Throws: `SharingError.header` for more groups to come together than there are, or a group beyond them.
  init(packed: UInt64) throws(SharingError) {
    func field(_ shift: UInt64) -> Int { Int(packed >> shift & 15) }
    split = Split(
      identifier: UInt16(packed >> 25 & 0x7FFF), isExtendable: packed >> 24 & 1 == 1, exponent: field(20), groupThreshold: field(12) + 1,
      groupCount: field(8) + 1)
    (group, member, memberThreshold) = (field(16), field(4), field(0) + 1)
    guard split.groupThreshold <= split.groupCount, group < split.groupCount else { throw .header }
  }
}
