/// Finds the ends of JSON values and checks everything on the way.
struct JSONScanner: ~Escapable {
  private let text: Span<UInt8>
  private let limits: JSONReader.Limits
  private var position: Int
  private var values = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, limits: JSONReader.Limits, at position: Int = 0) {
    self.text = text
    self.limits = limits
    self.position = position
  }

  /// The only value of the whole text.
  mutating func document() throws(JSONReaderError) -> JSONReader.Value {
    let root = try value(depth: 0)
    skipSpace()
    guard position == text.count else { throw .leftover }
    return root
  }

  /// The member after the opening brace or the previous member; consumes a closing brace and
  /// returns nil.
  mutating func nextMember(isFirst: Bool, depth: Int) throws(JSONReaderError) -> JSONReader.Member?
  {
    guard try startItem(isFirst: isFirst, open: UInt8(ascii: "{"), close: UInt8(ascii: "}")) else {
      return nil
    }
    skipSpace()
    guard peek == UInt8(ascii: "\"") else { throw .malformed }
    let name = try value(depth: depth)
    skipSpace()
    try expect(UInt8(ascii: ":"))
    return JSONReader.Member(name: name, value: try value(depth: depth))
  }
}

extension JSONScanner {
  private mutating func value(depth: Int) throws(JSONReaderError) -> JSONReader.Value {
    values += 1
    guard values <= limits.values else { throw .tooMany }
    skipSpace()
    let start = position
    let kind = try kindOfValue(depth: depth)
    return JSONReader.Value(kind: kind, range: start..<position)
  }

  private mutating func kindOfValue(depth: Int) throws(JSONReaderError) -> JSONReader.Kind {
    switch peek {
    case UInt8(ascii: "{"):
      try object(depth: depth + 1)
      return .object
    case UInt8(ascii: "["):
      try array(depth: depth + 1)
      return .array
    case UInt8(ascii: "\""):
      try string()
      return .string
    case UInt8(ascii: "t"):
      try literal("true")
      return .bool
    case UInt8(ascii: "f"):
      try literal("false")
      return .bool
    case UInt8(ascii: "n"):
      try literal("null")
      return .null
    case .some, .none:
      try number()
      return .number
    }
  }

  private mutating func object(depth: Int) throws(JSONReaderError) {
    guard depth <= limits.depth else { throw .tooDeep }
    var names: [Int] = []  // their offsets
    while let member = try nextMember(isFirst: names.isEmpty, depth: depth) {
      guard names.count < limits.membersPerObject else { throw .tooMany }
      for earlier in names where try sameString(earlier, member.name.range.lowerBound) {
        throw .duplicateName
      }
      names.append(member.name.range.lowerBound)
    }
  }

  private mutating func array(depth: Int) throws(JSONReaderError) {
    guard depth <= limits.depth else { throw .tooDeep }
    var isFirst = true
    while try startItem(isFirst: isFirst, open: UInt8(ascii: "["), close: UInt8(ascii: "]")) {
      isFirst = false
      _ = try value(depth: depth)
    }
  }

  /// Consumes the bracket or comma before an item; consumes a closing bracket and returns false.
  private mutating func startItem(isFirst: Bool, open: UInt8, close: UInt8) throws(JSONReaderError)
    -> Bool
  {
    if isFirst { try expect(open) }
    skipSpace()
    if peek == close {
      position += 1
      return false
    }
    if !isFirst { try expect(UInt8(ascii: ",")) }
    return true
  }

  private mutating func string() throws(JSONReaderError) {
    var decoder = JSONStringDecoder(text, openingQuote: position)
    decoder.passPlain()
    while try decoder.next() != nil { decoder.passPlain() }
    guard decoder.position - position <= limits.tokenBytes else { throw .tooLong }
    position = decoder.position
  }

  private func sameString(_ a: Int, _ b: Int) throws(JSONReaderError) -> Bool {
    var a = JSONStringDecoder(text, openingQuote: a)
    var b = JSONStringDecoder(text, openingQuote: b)
    while let scalar = try a.next() {
      guard try b.next() == scalar else { return false }
    }
    return try b.next() == nil
  }

  /// RFC 8259 §6.
  private mutating func number() throws(JSONReaderError) {
    let start = position
    skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try digits() }
    if skip(UInt8(ascii: ".")) { try digits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
      try digits()
    }
    guard position - start <= limits.tokenBytes else { throw .tooLong }
  }

  private mutating func digits() throws(JSONReaderError) {
    let start = position
    while let c = peek, c.isDigit { position += 1 }
    guard position > start else { throw .malformed }
  }

  private mutating func literal(_ word: String) throws(JSONReaderError) {
    for c in word.utf8 { try expect(c) }
  }

  private var peek: UInt8? { position < text.count ? text[position] : nil }

  private mutating func skipSpace() {
    while let c = peek, c == 0x20 || c == 0x0A || c == 0x0D || c == 0x09 { position += 1 }
  }

  @discardableResult
  private mutating func skip(_ c: UInt8) -> Bool {
    guard peek == c else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ c: UInt8) throws(JSONReaderError) {
    guard skip(c) else { throw .malformed }
  }
}
