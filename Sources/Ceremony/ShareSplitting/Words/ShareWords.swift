internal import CConstantTime
package import Crypto
package import Host

extension Share {
  /// Parses a share from words separated by white space; the first four letters of each word are enough.
  ///
  /// - Throws: `SharingError` for bad words or a wrong checksum; other shares are not looked at.
  package init(words text: Span<UInt8>) throws(SharingError) {
    var entry = try ShareEntry()
    try entry.add(words: text)
    self = try entry.finish()
  }

  /// The words in lower case, separated by single spaces, as they are printed.
  package func words() throws(SharingError) -> SecretBuffer {
    let indices = try indices()
    return try indices.text()
  }

  /// The number of words in a share of a secret of `size` bytes: 20, 27 or 33.
  package static func wordCount(size: Int) -> Int { Self.headerWords + valueWords(size) + RS1024.count }

  /// The header's forty bits.
  private static var headerWords: Int { 4 }

  private static func valueWords(_ size: Int) -> Int { (8 * size + 9) / 10 }

  /// Ten bits a word: header, zero bits as padding, value, checksum.
  func indices() throws(SharingError) -> WordIndices {
    let count = Self.wordCount(size: value.count)
    var words = try WordIndices(count: count, capacity: count)
    for i in 0..<Self.headerWords { words[i] = UInt16(header.packed >> UInt64(30 - 10 * i) & 1023) }
    var (bits, held): (UInt32, Int) = (0, 10 * Self.valueWords(value.count) - 8 * value.count)
    var next = Self.headerWords
    for i in 0..<value.count {
      (bits, held) = (bits << 8 | UInt32(value.bytes[i]), held + 8)
      guard held >= 10 else { continue }
      held -= 10
      words[next] = UInt16(bits >> UInt32(held) & 1023)
      next += 1
    }
    RS1024.fill(&words, isExtendable: header.split.isExtendable)
    return words
  }

  /// - Throws: `SharingError.wordCount`, `.checksum` and `.header`, in that order.
  init(_ words: borrowing WordIndices) throws(SharingError) {
    guard let size = Self.sizes.first(where: { Self.wordCount(size: $0) == words.count }) else { throw .wordCount(words.count) }
    var packed: UInt64 = 0
    for i in 0..<Self.headerWords { packed = packed << 10 | UInt64(words[i]) }
    guard RS1024.holds(words, isExtendable: kist_declassified(packed >> 24 & 1 == 1)) else { throw .checksum }
    // A share's header is no secret.
    let header = try ShareHeader(packed: kist_declassified_number(packed))
    self.init(header: header, value: try Self.value(words, size))
  }

  /// - Throws: `SharingError.header` if the padding before the value is not zero.
  private static func value(_ words: borrowing WordIndices, _ size: Int) throws(SharingError) -> SecretBuffer {
    var value = try SecretBuffer.zeroed(size)
    var out = value.mutableBytes
    // The padding is at most one byte: holding it back makes the value's bytes end where the words do.
    let padding = 10 * valueWords(size) - 8 * size
    guard kist_declassified(words[Self.headerWords] >> UInt16(10 - padding) == 0) else { throw .header }
    var (bits, held, next): (UInt32, Int, Int) = (0, -padding, 0)
    for i in 0..<valueWords(size) {
      (bits, held) = (bits << 10 | UInt32(words[Self.headerWords + i]), held + 10)
      while held >= 8 {
        held -= 8
        out[next] = UInt8(truncatingIfNeeded: bits >> UInt32(held))
        next += 1
      }
    }
    return value
  }
}

extension WordIndices {
  /// The words in lower case, separated by single spaces.
  func text() throws(SharingError) -> SecretBuffer {
    var room = try SecretBuffer.zeroed(count * (WordList.letters.upperBound + 1))
    var out = room.mutableBytes
    var length = 0
    for i in 0..<count {
      if i > 0 {
        out[length] = 0x20
        length += 1
      }
      let word = WordList.word(at: self[i])
      for place in 0..<UInt64(8) {
        let letter = UInt8(truncatingIfNeeded: word >> (56 - 8 * place))
        // The length of a word shows on its sheet.
        guard kist_declassified(letter != 0) else { break }
        out[length] = letter
        length += 1
      }
    }
    return try SecretBuffer.copy(of: room.bytes.extracting(first: length))
  }
}
