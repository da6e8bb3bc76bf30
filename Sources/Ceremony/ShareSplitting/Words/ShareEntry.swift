internal import CConstantTime
package import Crypto

/// A share while it is typed in, word by word.
package struct ShareEntry: ~Copyable {
  private static let longest = Share.wordCount(size: 32)
  private var words: WordIndices

  package init() throws(SharingError) { words = try WordIndices(count: 0, capacity: Self.longest) }

  /// How many words were accepted so far.
  package var count: Int { words.count }

  /// Adds the next word; its first four letters are enough, in either case.
  ///
  /// - Throws: `SharingError.unknownWord`, after which the word can be entered again; `.wordCount` if no share has so many words.
  package mutating func add(_ word: Span<UInt8>) throws(SharingError) {
    guard !words.isFull else { throw .wordCount(words.count + 1) }
    guard let index = WordList.index(of: word) else { throw .unknownWord(number: words.count + 1) }
    words.append(index)
  }

  /// Adds words separated by white space; words before a refused one are kept.
  ///
  /// - Throws: what `add` throws.
  package mutating func add(words text: Span<UInt8>) throws(SharingError) {
    var start = 0
    for i in 0...text.count where i == text.count || Self.isSpace(text[i]) {
      if i > start { try add(text.extracting(start..<i)) }
      start = i + 1
    }
  }

  /// - Throws: `SharingError.wordCount`, `.checksum` and `.header`, in that order.
  package consuming func finish() throws(SharingError) -> Share { try Share(words) }

  private static func isSpace(_ character: UInt8) -> Bool {
    // Where words end is no secret; one comparison, since two would be a branch.
    kist_declassified((character == 0x20 ? 0x09 : character) &- 0x09 < 5)
  }
}
