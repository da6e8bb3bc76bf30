import CConstantTime
import Format
package import Host

/// One share of a split secret, in the arena (SLIP-0039).
package struct Share: ~Copyable {
  /// The allowed sizes of a secret, in bytes.
  package static let sizes = [16, 24, 32]

  package let header: ShareHeader
  /// As long as the secret.
  package let value: SecretBuffer

  package init(header: ShareHeader, value: consuming SecretBuffer) {
    self.header = header
    self.value = value
  }
}

extension Share {
  /// Parses 21, 29 or 37 bytes: header (5) ‖ value. [KS-SHARE-FORM]
  ///
  /// - Throws: `SharingError.secretSize` for another number of bytes, and `.header`.
  package init(bytes: Span<UInt8>) throws(SharingError) {
    guard Self.sizes.contains(bytes.count - ShareHeader.byteCount) else { throw .secretSize }
    var packed: UInt64 = 0
    for i in 0..<ShareHeader.byteCount { packed = packed << 8 | UInt64(bytes[i]) }
    // A share's header is no secret.
    let header = try ShareHeader(packed: kist_declassified_number(packed))
    self.init(
      header: header,
      value: try SecretBuffer.copy(of: bytes.extracting(droppingFirst: ShareHeader.byteCount)))
  }

  /// Header (5 bytes) ‖ value (16, 24 or 32). [KS-SHARE-FORM]
  package func bytes() throws(SharingError) -> SecretBuffer {
    var share = try SecretBuffer.zeroed(ShareHeader.byteCount + value.count)
    var bytes = share.mutableBytes
    bytes.copy(header.bytes.span)
    bytes.copy(value.bytes, at: ShareHeader.byteCount)
    return share
  }

  /// Identifies this share in records and reveals nothing of its value.
  package var fingerprint: ShareFingerprint { ShareFingerprint(header, value.bytes) }
}

/// The parameters that all shares of one split have in common.
package struct Split: Hashable, Sendable {
  /// The split's identifier, 15 random bits.
  package let identifier: UInt16
  /// Whether the identifier is left out of the encryption, so that the same secret can be split
  /// again.
  package let isExtendable: Bool
  /// The passphrase is stretched with 2ᵉ · 10 000 iterations.
  package let exponent: Int
  /// How many of the groups are needed.
  package let groupThreshold: Int
  package let groupCount: Int

  package init(
    identifier: UInt16, isExtendable: Bool, exponent: Int, groupThreshold: Int, groupCount: Int
  ) {
    self.identifier = identifier
    self.isExtendable = isExtendable
    self.exponent = exponent
    self.groupThreshold = groupThreshold
    self.groupCount = groupCount
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
    self.split = split
    self.group = group
    self.member = member
    self.memberThreshold = memberThreshold
  }
}

extension ShareHeader {
  static let byteCount = 5

  /// The header's forty bits, as in SLIP-0039 "Format of the share mnemonic".
  package var packed: UInt64 {
    let fields: [(value: Int, bits: UInt64)] = [
      (Int(split.identifier), 15), (split.isExtendable ? 1 : 0, 1), (split.exponent, 4), (group, 4),
      (split.groupThreshold - 1, 4),
      (split.groupCount - 1, 4), (member, 4), (memberThreshold - 1, 4),
    ]
    return fields.reduce(0) { $0 << $1.bits | UInt64($1.value) }
  }

  /// The forty bits, the most significant first.
  var bytes: [UInt8] { packed.bigEndianBytes.suffix(Self.byteCount) }

  /// - Throws: `SharingError.header` if more groups are needed than exist, or the group does not
  ///   exist.
  package init(packed: UInt64) throws(SharingError) {
    func field(_ shift: UInt64) -> Int { Int(packed >> shift & 15) }
    split = Split(
      identifier: UInt16(packed >> 25 & 0x7FFF), isExtendable: packed >> 24 & 1 == 1,
      exponent: field(20), groupThreshold: field(12) + 1,
      groupCount: field(8) + 1)
    group = field(16)
    member = field(4)
    memberThreshold = field(0) + 1
    guard split.groupThreshold <= split.groupCount, group < split.groupCount else { throw .header }
  }
}

/// Five bytes that identify a share: SHA-256("share-fp/v2" ‖ header ‖ value)[0..<5].
package struct ShareFingerprint: Hashable, Sendable {
  package static let byteCount = 5
  package let bytes: [UInt8]

  init(_ header: ShareHeader, _ value: Span<UInt8>) {
    var hasher = SHA256.Hasher()
    let domain = Array("share-fp/v2".utf8)
    hasher.update(domain.span)
    hasher.update(header.bytes.span)
    hasher.update(value)
    bytes = Array(hasher.finish().bytes.prefix(Self.byteCount))
  }

  /// Parses ten hexadecimal digits.
  package init?(hex: some StringProtocol) {
    guard let bytes = Hex.decode(hex), bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }
}

extension ShareFingerprint: CustomStringConvertible {
  /// Ten lower-case digits.
  package var description: String { Hex.encode(bytes) }
}

/// How many shares a secret is split into, and how many of them recover it.
package struct SharingScheme: Hashable, Sendable {
  /// M of N within one group.
  package struct Group: Hashable, Sendable {
    package let threshold: Int
    package let count: Int

    /// - Throws: `SharingError.scheme` unless 2 ≤ `threshold` ≤ `count` ≤ 16.
    package init(_ threshold: Int, of count: Int) throws(SharingError) {
      guard 2 <= threshold, threshold <= count, count <= 16 else { throw .scheme }
      self.threshold = threshold
      self.count = count
    }
  }

  /// How many of the groups are needed.
  package let groupThreshold: Int
  package let groups: [Group]

  /// - Throws: `SharingError.scheme` unless 1 ≤ `groupThreshold` ≤ groups ≤ 16.
  package init(groupThreshold: Int, groups: [Group]) throws(SharingError) {
    guard 1 <= groupThreshold, groupThreshold <= groups.count, groups.count <= 16 else {
      throw .scheme
    }
    self.groupThreshold = groupThreshold
    self.groups = groups
  }
}

/// Why splitting, parsing or combining failed; no case reveals a share's contents.
package enum SharingError: Error, Equatable {
  /// The secret is not 16, 24 or 32 bytes.
  case secretSize
  /// Not 2 ≤ M ≤ N ≤ 16 in every group, or more groups are needed than exist.
  case scheme
  /// A word that is not in the list; counted from 1.
  case unknownWord(number: Int)
  /// No share has this many words, but 20, 27 or 33.
  case wordCount(Int)
  /// At least one word is wrong: the RS1024 checksum does not match.
  case checksum
  /// The words and checksum are right, but the parameters in them make no sense.
  case header
  /// The share demands more iterations than we allow.
  case exponent
  /// The share belongs to another split than those before it.
  case otherSplit
  /// This share is present already.
  case duplicate
  case tooFew
  /// More shares of a group, or of more groups, than are needed.
  case tooMany
  /// The recovered secret is not the one that was split, so one of the shares is wrong.
  case digest
  case crypto(CryptoError)
}

extension SecretBuffer {
  /// A zeroed buffer of `count` bytes; throws `SharingError`.
  package static func zeroed(_ count: Int) throws(SharingError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch {
      throw .crypto(.exhausted)
    }
  }

  /// A copy of `source`; throws `SharingError`.
  package static func copy(of source: Span<UInt8>) throws(SharingError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(copying: source) } catch {
      throw .crypto(.exhausted)
    }
  }
}
