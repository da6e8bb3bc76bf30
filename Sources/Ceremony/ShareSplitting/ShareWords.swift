import CConstantTime
package import Crypto
package import Host

extension Share {
  /// Parses a share from words separated by white space; the first four letters of each word are
  /// enough.
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
  package static func wordCount(size: Int) -> Int {
    Self.headerWords + valueWords(size) + RS1024.count
  }

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
      bits = bits << 8 | UInt32(value.bytes[i])
      held = held + 8
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
    guard let size = Self.sizes.first(where: { Self.wordCount(size: $0) == words.count }) else {
      throw .wordCount(words.count)
    }
    var packed: UInt64 = 0
    for i in 0..<Self.headerWords { packed = packed << 10 | UInt64(words[i]) }
    guard RS1024.holds(words, isExtendable: kist_declassified(packed >> 24 & 1 == 1)) else {
      throw .checksum
    }
    // A share's header is no secret.
    let header = try ShareHeader(packed: kist_declassified_number(packed))
    self.init(header: header, value: try Self.value(words, size))
  }

  /// - Throws: `SharingError.header` if the padding before the value is not zero.
  private static func value(_ words: borrowing WordIndices, _ size: Int) throws(SharingError)
    -> SecretBuffer
  {
    var value = try SecretBuffer.zeroed(size)
    var out = value.mutableBytes
    // The padding is at most one byte: holding it back makes the value's bytes end where the words
    // do.
    let padding = 10 * valueWords(size) - 8 * size
    guard kist_declassified(words[Self.headerWords] >> UInt16(10 - padding) == 0) else {
      throw .header
    }
    var (bits, held, next): (UInt32, Int, Int) = (0, -padding, 0)
    for i in 0..<valueWords(size) {
      bits = bits << 10 | UInt32(words[Self.headerWords + i])
      held = held + 10
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

/// A share while it is typed in, word by word.
package struct ShareEntry: ~Copyable {
  private static let longest = Share.wordCount(size: 32)
  private var words: WordIndices

  package init() throws(SharingError) { words = try WordIndices(count: 0, capacity: Self.longest) }

  /// How many words were accepted so far.
  package var count: Int { words.count }

  /// Adds the next word; its first four letters are enough, in either case.
  ///
  /// - Throws: `SharingError.unknownWord`, after which the word can be entered again; `.wordCount`
  ///   if no share has so many words.
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

/// The words of a share as indices into the word list, 0 to 1023, in the arena.
struct WordIndices: ~Copyable {
  private(set) var count: Int
  private var buffer: SecretBuffer

  /// `count` zeros, with room for `capacity`.
  init(count: Int, capacity: Int) throws(SharingError) {
    buffer = try SecretBuffer.zeroed(2 * capacity)
    self.count = count
  }

  subscript(i: Int) -> UInt16 {
    get { UInt16(buffer.bytes[2 * i]) << 8 | UInt16(buffer.bytes[2 * i + 1]) }
    set {
      var bytes = buffer.mutableBytes
      (bytes[2 * i], bytes[2 * i + 1]) = (UInt8(newValue >> 8), UInt8(truncatingIfNeeded: newValue))
    }
  }

  var isFull: Bool { 2 * count == buffer.count }

  mutating func append(_ index: UInt16) {
    count += 1
    self[count - 1] = index
  }
}

/// The Reed-Solomon code over GF(1024) in a share's last three words: detects up to three wrong
/// words always, more nearly always.
enum RS1024 {
  static let count = 3

  private static let generator: [UInt32] = [
    0xE0E040, 0x1C1_C080, 0x383_8100, 0x707_0200, 0xE0E_0009, 0x1C0C_2412, 0x3808_6C24, 0x3090_FC48,
    0x21B1_F890, 0x3F3_F120,
  ]

  /// Whether the checksum of the words, which include it, is right.
  static func holds(_ words: borrowing WordIndices, isExtendable: Bool) -> Bool {
    kist_declassified(remainder(words, isExtendable) == 1)
  }

  /// Writes the checksum to the last three words.
  static func fill(_ words: inout WordIndices, isExtendable: Bool) {
    for i in 0..<count { words[words.count - count + i] = 0 }
    let checksum = remainder(words, isExtendable) ^ 1
    for i in 0..<count {
      words[words.count - count + i] = UInt16(checksum >> UInt32(10 * (count - 1 - i)) & 1023)
    }
  }

  private static func remainder(_ words: borrowing WordIndices, _ isExtendable: Bool) -> UInt32 {
    var remainder: UInt32 = 1
    for byte in (isExtendable ? "shamir_extendable" : "shamir").utf8 {
      absorb(UInt32(byte), &remainder)
    }
    for i in 0..<words.count { absorb(UInt32(words[i]), &remainder) }
    return remainder
  }

  private static func absorb(_ value: UInt32, _ remainder: inout UInt32) {
    let top = remainder >> 20
    remainder = (remainder & 0xFFFFF) << 10 ^ value
    for bit in 0..<10 { remainder ^= generator[bit] & (0 &- (top >> UInt32(bit) & 1)) }
  }
}
