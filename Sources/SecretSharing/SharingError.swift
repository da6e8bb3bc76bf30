package import CryptoBackend

/// Why a secret was not split, a share not read or shares not combined; none says anything of a share's contents.
package enum SharingError: Error, Equatable, Sendable {
  /// The secret is not 16, 24 or 32 bytes.
  case secretSize
  /// Not 2 ≤ M ≤ N ≤ 16 in every group, or not as many groups as must come together.
  case scheme
  /// A word, counted from 1, that is not of the list.
  case unknownWord(number: Int)
  /// No share has as many words as these: 20, 27 or 33.
  case wordCount(Int)
  /// At least one word is wrong: the RS1024 checksum does not hold.
  case checksum
  /// The words are in order, and what they say of the split is not.
  case header
  /// More iterations than shares are read with.
  case exponent
  /// The share belongs to another split than the ones before it.
  case otherSplit
  /// The share of that place is there already.
  case duplicate
  case tooFew
  /// More shares of a group, or of more groups, than the split asks for.
  case tooMany
  /// The shares came together, and what they give is not what was split: one of them is not what it says.
  case digest
  case crypto(CryptoError)
}
