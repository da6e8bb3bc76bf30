/// A share that is being typed in, word by word.
package struct ShareEntry: ~Copyable {
  private static let longest = Share.wordCount(size: 32)
  private var words: WordIndices

  package init() throws(SharingError) { words = try WordIndices(count: 0, capacity: Self.longest) }

  /// The words taken so far.
  package var count: Int { words.count }

  /// Takes the next word, whole or at least its first four letters, of either case.
  ///
  /// - Throws: `SharingError.unknownWord`, after which the same word can be tried again; `.wordCount` when no share has so many.
  package mutating func add(_ word: Span<UInt8>) throws(SharingError) {
    guard !words.isFull else { throw .wordCount(words.count + 1) }
    guard let index = WordList.index(of: word) else { throw .unknownWord(number: words.count + 1) }
    words.append(index)
  }

  /// Takes words with white space between them; those before one that is refused stay.
  ///
  /// - Throws: as `add`.
  package mutating func add(words text: Span<UInt8>) throws(SharingError) {
    var start = 0
    for i in 0...text.count where i == text.count || Self.isSpace(text[i]) {
      if i > start { try add(text.extracting(start..<i)) }
      start = i + 1
    }
  }

  /// - Throws: `SharingError.wordCount`, `.checksum` and `.header`, in that order.
  package consuming func finish() throws(SharingError) -> Share { try Share(words) }

  private static func isSpace(_ character: UInt8) -> Bool { character == 0x20 || (0x09...0x0D).contains(character) }
}
