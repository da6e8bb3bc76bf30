internal import CConstantTime
internal import Format

/// The words of SLIP-0039; both look-ups scan the whole list, so that their time does not depend on the word.
enum WordList {
  /// The fewest and most letters of a word.
  static let letters = 4...8

  /// Each word's letters from the top byte down, padded with zeros.
  private static let words: [UInt64] = text.split(whereSeparator: \.isWhitespace).map { word in pack(Array(word.utf8).span) }

  /// The index of a word, or of the only word that begins with these four or more letters; nil if there is none.
  ///
  /// - Parameter word: letters of either case.
  static func index(of word: Span<UInt8>) -> UInt16? {
    guard letters.contains(word.count) else { return nil }
    let typed = pack(word)
    let mask = UInt64.max << UInt64(8 * (letters.upperBound - word.count))
    var (index, matches): (UInt64, UInt64) = (0, 0)
    for number in 0..<words.count {
      let isMatch = all(ifZero: (words[number] ^ typed) & mask)
      index |= UInt64(number) & isMatch
      matches |= isMatch
    }
    // Callers refuse another word.
    return kist_declassified(matches == 0) ? nil : UInt16(truncatingIfNeeded: index)
  }

  /// The word's letters from the top byte down, padded with zeros.
  static func word(at index: UInt16) -> UInt64 {
    var word: UInt64 = 0
    for number in 0..<words.count { word |= words[number] & all(ifZero: UInt64(number) ^ UInt64(index)) }
    return word
  }

  /// Folds upper case to lower case; other characters do not become letters.
  private static func pack(_ word: Span<UInt8>) -> UInt64 {
    var packed: UInt64 = 0
    for i in word.indices { packed |= UInt64(word[i] | 0x20) << UInt64(56 - 8 * i) }
    return packed
  }

  /// All ones if `x` is zero, else zero, without a branch.
  private static func all(ifZero x: UInt64) -> UInt64 { ((x | (0 &- x)) >> 63) &- 1 }
}
