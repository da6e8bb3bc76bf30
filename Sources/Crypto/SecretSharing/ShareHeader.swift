internal import Format

/// The parameters that all shares of one split have in common.
package struct Split: Hashable, Sendable {
  /// The split's identifier, 15 random bits.
  package let identifier: UInt16
  /// Whether the identifier is left out of the encryption, so that the same secret can be split again.
  package let isExtendable: Bool
  /// The passphrase is stretched with 2ᵉ · 10 000 iterations.
  package let exponent: Int
  /// How many of the groups are needed.
  package let groupThreshold: Int
  package let groupCount: Int

  package init(identifier: UInt16, isExtendable: Bool, exponent: Int, groupThreshold: Int, groupCount: Int) {
    (self.identifier, self.isExtendable, self.exponent) = (identifier, isExtendable, exponent)
    (self.groupThreshold, self.groupCount) = (groupThreshold, groupCount)
  }
}

/// The first four words of a share: its split and its place in it.
package struct ShareHeader: Hashable, Sendable {
  package let split: Split
  /// Counted from 0.
  package let group: Int
  /// Counted from 0 within the group.
  package let member: Int
  /// How many members of this group are needed.
  package let memberThreshold: Int

  package init(split: Split, group: Int, member: Int, memberThreshold: Int) {
    (self.split, self.group, self.member, self.memberThreshold) = (split, group, member, memberThreshold)
  }
}

extension ShareHeader {
  static let byteCount = 5

  /// The header's forty bits, as in SLIP-0039 "Format of the share mnemonic".
  package var packed: UInt64 {
    let fields: [(value: Int, bits: UInt64)] = [
      (Int(split.identifier), 15), (split.isExtendable ? 1 : 0, 1), (split.exponent, 4), (group, 4), (split.groupThreshold - 1, 4),
      (split.groupCount - 1, 4), (member, 4), (memberThreshold - 1, 4),
    ]
    return fields.reduce(0) { $0 << $1.bits | UInt64($1.value) }
  }

  /// The forty bits, the most significant first.
  var bytes: [UInt8] { packed.bigEndianBytes.suffix(Self.byteCount) }

  /// - Throws: `SharingError.header` if more groups are needed than exist, or the group does not exist.
  package init(packed: UInt64) throws(SharingError) {
    func field(_ shift: UInt64) -> Int { Int(packed >> shift & 15) }
    split = Split(
      identifier: UInt16(packed >> 25 & 0x7FFF), isExtendable: packed >> 24 & 1 == 1, exponent: field(20), groupThreshold: field(12) + 1,
      groupCount: field(8) + 1)
    (group, member, memberThreshold) = (field(16), field(4), field(0) + 1)
    guard split.groupThreshold <= split.groupCount, group < split.groupCount else { throw .header }
  }
}
