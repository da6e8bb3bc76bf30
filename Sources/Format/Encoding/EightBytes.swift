/// Eight bytes of a text as one number, so that they are looked at together and not one after
/// another.
///
/// What is looked for leaves the highest bit of its byte set. A borrow or a carry can set the bits
/// of other bytes, but only behind the first.
struct EightBytes {
  /// The first byte is the lowest.
  private let number: UInt64

  /// Nil if the text ends within eight bytes from `offset`.
  @inline(always) init?(_ text: Span<UInt8>, at offset: Int) {
    guard offset <= text.count &- 8 else { return nil }
    let bytes = text.extracting(offset..<offset &+ 8)
    // The compiler makes one load of it.
    var number: UInt64 = 0
    for i in 0..<8 { number |= UInt64(bytes[i]) << UInt64(8 * i) }
    self.number = number
  }

  /// Marks the bytes that are `byte`.
  @inline(always) func marks(of byte: UInt8) -> UInt64 {
    let difference = number ^ Self.all(byte)
    return (difference &- Self.all(1)) & ~difference & Self.highBits
  }

  /// Zero if they are the hexadecimal digits of the four bytes from `place`.
  @inline(always) func difference(fromDigitsOf bytes: Span<UInt8>, at place: Int) -> UInt64 {
    let four = bytes.extracting(place..<place &+ 4)
    var pairs: UInt64 = 0
    for i in 0..<4 { pairs |= UInt64(four[i]) << UInt64(16 * i) }
    let nibbles = (pairs >> 4) & 0x000F_000F_000F_000F | (pairs & 0x000F_000F_000F_000F) << 8
    let letters = ((nibbles &+ Self.all(6)) >> 4) & Self.all(1)
    return number ^ (nibbles &+ Self.all(UInt8(ascii: "0")) &+ letters &* 39)
  }

  /// How many bytes stand before the first quote, backslash, control character or byte that is not
  /// ASCII.
  @inline(always) var plainCount: Int {
    Self.count(before: (number &- Self.all(0x20)) | quoteOrBackslash | number)
  }

  /// How many bytes stand before the first one that is no `CanonicalJSONReader.isNameByte`.
  @inline(always) var nameCount: Int {
    Self.count(
      before: (number &- Self.all(0x21)) | (number &+ Self.all(1)) | quoteOrBackslash | number)
  }

  /// The first one to eight bytes, big-endian, with zeros instead of the others.
  @inline(always) func bigEndian(first count: Int) -> UInt64 {
    let rest = UInt64(64 &- 8 &* count)
    return (number.byteSwapped &>> rest) &<< rest
  }

  /// The number of bytes before the first marked one; eight if none is.
  @inline(always) static func count(before marks: UInt64) -> Int {
    (marks & highBits).trailingZeroBitCount / 8
  }

  @inline(always) private var quoteOrBackslash: UInt64 {
    let (quote, backslash) = (
      number ^ Self.all(UInt8(ascii: "\"")), number ^ Self.all(UInt8(ascii: "\\"))
    )
    return (quote &- Self.all(1)) | (backslash &- Self.all(1))
  }

  @inline(always) private static func all(_ byte: UInt8) -> UInt64 {
    0x0101_0101_0101_0101 &* UInt64(byte)
  }

  @inline(always) private static var highBits: UInt64 { all(0x80) }
}

extension Span where Element == UInt8 {
  /// The first place at or after `start` that has this byte.
  package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    var place = start
    // One branch for 32 bytes, as long as the byte is not among them.
    while place <= count &- 32 {
      let block = extracting(place..<place &+ 32)
      var marks: UInt64 = 0
      for i in 0..<4 { marks |= EightBytes(block, at: 8 * i)?.marks(of: byte) ?? 0 }
      if marks != 0 { break }
      place &+= 32
    }
    while let eight = EightBytes(self, at: place) {
      let count = EightBytes.count(before: eight.marks(of: byte))
      guard count == 8 else { return place + count }
      place += 8
    }
    while place < count {
      if self[place] == byte { return place }
      place += 1
    }
    return nil
  }
}
