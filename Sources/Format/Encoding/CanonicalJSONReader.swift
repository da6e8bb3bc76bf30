/// Reads canonical JSON in one pass and refuses everything that `CanonicalJSONWriter` would not
/// write.
///
/// It allocates only the strings that the caller reads, so it is fast enough to verify whole logs.
package struct CanonicalJSONReader: ~Escapable {
  private let input: Span<UInt8>
  /// The offset of the next byte.
  package private(set) var offset = 0
  private var depth = 0

  @_lifetime(copy input)
  package init(_ input: Span<UInt8>) { self.input = input }

  package enum Kind: Sendable { case object, array, string, integer, bool }

  /// The kind of the next value, judged by its first byte.
  @inline(always) package func next() throws(CanonicalJSONError) -> Kind {
    guard let first = peek else { throw .syntax(offset: offset) }
    switch first {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .integer
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    default: throw .syntax(offset: offset)
    }
  }

  /// Calls `member` with each name in turn; it must read the value.
  @_lifetime(self: copy self)
  package mutating func readObject(
    _ member: (inout CanonicalJSONReader, CanonicalJSONName) throws(CanonicalJSONError) -> Void
  ) throws(CanonicalJSONError) {
    try descend(UInt8(ascii: "{"))
    var last = CanonicalJSONName.none
    while peek != UInt8(ascii: "}") {
      if !last.place.isEmpty { try expect(UInt8(ascii: ",")) }
      let name = try readName()
      guard precedes(last, name) else { throw .order(offset: name.place.lowerBound) }
      try member(&self, name)
      last = name
    }
    ascend()
  }

  /// Calls `element` for each element in turn; it must read the value.
  @_lifetime(self: copy self)
  package mutating func readArray(
    _ element: (inout CanonicalJSONReader) throws(CanonicalJSONError) -> Void
  ) throws(CanonicalJSONError) {
    try descend(UInt8(ascii: "["))
    var first = true
    while peek != UInt8(ascii: "]") {
      if !first { try expect(UInt8(ascii: ",")) }
      try element(&self)
      first = false
    }
    ascend()
  }

  @_lifetime(self: copy self)
  package mutating func readString() throws(CanonicalJSONError) -> String {
    let place = try readStringPlace()
    guard let text = decoded(place) else { throw .syntax(offset: place.lowerBound) }
    return text
  }

  /// The range of a string's bytes between its quotes, escapes included; see `bytes(_:)`.
  @_lifetime(self: copy self)
  package mutating func readStringPlace() throws(CanonicalJSONError) -> Range<Int> {
    try scanString()
  }

  @_lifetime(self: copy self)
  package mutating func readInteger() throws(CanonicalJSONError) -> Int64 {
    let start = offset
    let negative = peek == UInt8(ascii: "-")
    if negative { offset += 1 }
    let digits = offset
    var value: Int64 = 0
    while let byte = peek, byte.isDigit {
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      guard value <= CanonicalJSON.integerLimit else { throw .syntax(offset: start) }
      offset += 1
    }
    // At least one digit, no leading zero, no minus zero.
    guard offset > digits,
      offset == digits + 1 ? !(negative && value == 0) : input[digits] != UInt8(ascii: "0")
    else { throw .syntax(offset: start) }
    return negative ? -value : value
  }

  @_lifetime(self: copy self)
  package mutating func readBool() throws(CanonicalJSONError) -> Bool {
    let value = peek == UInt8(ascii: "t")
    for byte in (value ? "true" : "false").utf8 { try expect(byte) }
    return value
  }

  /// Reads and checks one value of any kind, and discards it.
  @_lifetime(self: copy self)
  package mutating func skip() throws(CanonicalJSONError) {
    switch try next() {
    case .object: try readObject { (reader, _) throws(CanonicalJSONError) in try reader.skip() }
    case .array: try readArray { (reader) throws(CanonicalJSONError) in try reader.skip() }
    case .string: _ = try scanString()
    case .integer: _ = try readInteger()
    case .bool: _ = try readBool()
    }
  }

  /// Checks that nothing is left over.
  package func end() throws(CanonicalJSONError) {
    guard offset == input.count else { throw .syntax(offset: offset) }
  }

  /// The bytes at a range of the input.
  @_lifetime(copy self)
  package func bytes(_ place: Range<Int>) -> Span<UInt8> { input.extracting(place) }

  /// The text of a member's name.
  package func text(_ name: CanonicalJSONName) -> String { copied(name.place) ?? "" }

  /// Whether the string at this range is `text`, which must need no escapes.
  package func string(_ place: Range<Int>, is text: String) -> Bool {
    place.count == text.utf8.count && zip(place, text.utf8).allSatisfy { input[$0] == $1 }
  }

  /// Whether the byte is printable ASCII that needs no escape.
  package static func isNameByte(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}

extension CanonicalJSONReader {
  @inline(always) private var peek: UInt8? { offset < input.count ? input[offset] : nil }

  @_lifetime(self: copy self)
  @inline(always) private mutating func expect(_ byte: UInt8) throws(CanonicalJSONError) {
    guard peek == byte else { throw .syntax(offset: offset) }
    offset += 1
  }

  @_lifetime(self: copy self)
  @inline(always) private mutating func descend(_ open: UInt8) throws(CanonicalJSONError) {
    guard depth < CanonicalJSON.depthLimit else { throw .tooDeep(offset: offset) }
    try expect(open)
    depth += 1
  }

  @_lifetime(self: copy self)
  @inline(always) private mutating func ascend() {
    offset += 1
    depth -= 1
  }

  @_lifetime(self: copy self)
  @inline(always) private mutating func readName() throws(CanonicalJSONError) -> CanonicalJSONName {
    try expect(UInt8(ascii: "\""))
    let start = offset
    while let eight = EightBytes(input, at: offset) {
      let count = eight.nameCount
      offset += count
      guard count == 8 else { break }
    }
    while let byte = peek, Self.isNameByte(byte) { offset += 1 }
    let name = start..<offset
    guard !name.isEmpty else { throw .syntax(offset: start) }
    try expect(UInt8(ascii: "\""))
    try expect(UInt8(ascii: ":"))
    return CanonicalJSONName(input, at: name)
  }

  /// Whether a name comes before another in byte order.
  @inline(always) private func precedes(_ a: CanonicalJSONName, _ b: CanonicalJSONName) -> Bool {
    if a.head != b.head { return a.head < b.head }
    for (x, y) in zip(a.place.dropFirst(16), b.place.dropFirst(16)) where input[x] != input[y] {
      return input[x] < input[y]
    }
    return a.place.count < b.place.count
  }

  /// Checks a string's form and returns the range between its quotes.
  @_lifetime(self: copy self)
  private mutating func scanString() throws(CanonicalJSONError) -> Range<Int> {
    try expect(UInt8(ascii: "\""))
    let start = offset
    while true {
      skipPlain()
      guard let byte = peek else { throw .syntax(offset: offset) }
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return start..<offset - 1
      case UInt8(ascii: "\\"): _ = try scanEscape()
      case 0x20..<0x80: offset += 1
      case 0x80...0xFF: try scanUTF8()
      default: throw .syntax(offset: offset)
      }
    }
  }

  /// Passes characters that stand for themselves, as far as there are eight bytes at once.
  @_lifetime(self: copy self)
  @inline(always) private mutating func skipPlain() {
    while let eight = EightBytes(input, at: offset) {
      let count = eight.plainCount
      guard count == 8 else { return offset += count }
      offset += 8
    }
  }

  /// Accepts only the escapes that RFC 8785 §3.2.2.2 writes, each for a character that needs one.
  @_lifetime(self: copy self)
  private mutating func scanEscape() throws(CanonicalJSONError) -> UInt8 {
    let start = offset
    offset += 1
    let letter = peek
    offset += 1
    switch letter {
    case UInt8(ascii: "\""): return 0x22
    case UInt8(ascii: "\\"): return 0x5C
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "u"): break
    default: throw .syntax(offset: start)
    }
    try expect(UInt8(ascii: "0"))
    try expect(UInt8(ascii: "0"))
    guard let high = peek, high == UInt8(ascii: "0") || high == UInt8(ascii: "1") else {
      throw .syntax(offset: start)
    }
    offset += 1
    guard let low = peek, !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(low),
      let digit = Hex.value(low)
    else { throw .syntax(offset: start) }
    offset += 1
    let byte = (high - UInt8(ascii: "0")) << 4 | digit
    switch byte {
    case 0x08, 0x09, 0x0A, 0x0C, 0x0D: throw .syntax(offset: start)
    default: return byte
    }
  }

  /// One well-formed UTF-8 sequence of two to four bytes (RFC 3629 §4).
  @_lifetime(self: copy self)
  private mutating func scanUTF8() throws(CanonicalJSONError) {
    let start = offset
    let (count, second): (Int, ClosedRange<UInt8>) =
      switch input[start] {
      case 0xC2...0xDF: (2, 0x80...0xBF)
      case 0xE0: (3, 0xA0...0xBF)
      case 0xE1...0xEC, 0xEE...0xEF: (3, 0x80...0xBF)
      case 0xED: (3, 0x80...0x9F)
      case 0xF0: (4, 0x90...0xBF)
      case 0xF1...0xF3: (4, 0x80...0xBF)
      case 0xF4: (4, 0x80...0x8F)
      default: throw .syntax(offset: start)
      }
    guard start + count <= input.count, second.contains(input[start + 1]) else {
      throw .syntax(offset: start)
    }
    for i in 2..<max(count, 2) {
      guard (0x80...0xBF).contains(input[start + i]) else { throw .syntax(offset: start) }
    }
    offset = start + count
  }

  /// The text of a string that was already checked.
  private func decoded(_ place: Range<Int>) -> String? {
    guard hasEscape(place) else { return copied(place) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(place.count)
    var rest = CanonicalJSONReader(input)
    rest.offset = place.lowerBound
    while rest.offset < place.upperBound {
      let byte = input[rest.offset]
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        rest.offset += 1
        continue
      }
      guard let escaped = try? rest.scanEscape() else { return nil }
      bytes.append(escaped)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func hasEscape(_ place: Range<Int>) -> Bool {
    bytes(place).firstIndex(of: UInt8(ascii: "\\")) != nil
  }

  /// The text of bytes without escapes, in one step; most strings in a log are like that.
  private func copied(_ place: Range<Int>) -> String? {
    guard let bytes = try? UTF8Span(validating: input.extracting(place)) else { return nil }
    return String(copying: bytes)
  }
}
