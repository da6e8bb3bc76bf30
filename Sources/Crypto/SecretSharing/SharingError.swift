package import Host

/// Why splitting, parsing or combining failed; no case reveals a share's contents.
package enum SharingError: Error, Equatable, Sendable {
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
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch { throw .crypto(.exhausted) }
  }

  /// A copy of `source`; throws `SharingError`.
  package static func copy(of source: Span<UInt8>) throws(SharingError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(copying: source) } catch { throw .crypto(.exhausted) }
  }
}
