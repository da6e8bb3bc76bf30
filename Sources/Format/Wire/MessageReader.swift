/// Reads one message of the strict proto3 subset from a borrowed buffer, in one pass and in
/// ascending field order.
///
/// It accepts only canonical messages [WIRE-3]: known fields, ascending, each at most once unless
/// repeated, minimal varints, no explicit defaults, nothing left over. So decoding and encoding
/// again gives the same bytes.
package struct MessageReader: ~Escapable, ~Copyable {
  private var rest: Span<UInt8>

  @_lifetime(copy body)
  package init(_ body: Span<UInt8>) { rest = body }

  /// Checks that nothing is left over.
  ///
  /// - Throws: `WireError.unexpectedField` or `.trailingBytes`.
  package consuming func end() throws(WireError) {
    guard !rest.isEmpty else { return }
    guard let tag = try? takeVarint32() else { throw .trailingBytes }
    throw .unexpectedField(tag >> 3)
  }
}

extension MessageReader: FieldVisitor {
  @_lifetime(value: copy self, copy value)
  package mutating func bytes(
    _ number: UInt32, _ name: String, _ value: inout Span<UInt8>, _ size: FieldSize
  ) throws(WireError) {
    value = try takeBytes(number, name, size)
  }

  package mutating func bytes(
    _ number: UInt32, _ name: String, _ value: inout [UInt8], _ size: FieldSize
  ) throws(WireError) {
    value = try takeBytes(number, name, size).array
  }

  package mutating func bytes(
    _ number: UInt32, _ name: String, _ values: inout [[UInt8]], atMost cap: Int, count limit: Int
  ) throws(WireError) {
    while let element = try takeElement(number, name, atMost: cap, values.count, of: limit) {
      values.append(element.array)
    }
  }

  @_lifetime(value: copy self, copy value)
  package mutating func text(
    _ number: UInt32, _ name: String, _ value: inout Span<UInt8>, _ size: FieldSize
  ) throws(WireError) {
    value = try takeBytes(number, name, size)
    _ = try Self.text(value, of: number, name)
  }

  package mutating func text(
    _ number: UInt32, _ name: String, _ value: inout String, _ size: FieldSize
  ) throws(WireError) {
    value = String(copying: try Self.text(try takeBytes(number, name, size), of: number, name))
  }

  package mutating func texts(
    _ number: UInt32, _ name: String, _ values: inout [String], atMost cap: Int, count limit: Int
  ) throws(WireError) {
    while let element = try takeElement(number, name, atMost: cap, values.count, of: limit) {
      values.append(String(copying: try Self.text(element, of: number, name)))
    }
  }

  package mutating func bool(_ number: UInt32, _ name: String, _ value: inout Bool)
    throws(WireError)
  {
    switch try takeNumber(number, name) {
    case 0: value = false
    case 1: value = true
    default: throw .varint
    }
  }

  package mutating func uint64(_ number: UInt32, _ name: String, _ value: inout UInt64)
    throws(WireError)
  { value = try takeNumber(number, name) }

  package mutating func uint64(_ number: UInt32, _ name: String, _ value: inout UInt64?)
    throws(WireError)
  { value = try takeOptional(number, name) }

  package mutating func uint32(_ number: UInt32, _ name: String, _ value: inout UInt32)
    throws(WireError)
  {
    value = try Self.narrow(try takeNumber(number, name))
  }

  package mutating func uint32(_ number: UInt32, _ name: String, _ value: inout UInt32?)
    throws(WireError)
  {
    value = nil
    if let wide = try takeOptional(number, name) { value = try Self.narrow(wide) }
  }

  package mutating func uint32(
    _ number: UInt32, _ name: String, _ value: inout Int, in range: ClosedRange<Int>
  ) throws(WireError) {
    value = Int(try Self.narrow(try takeNumber(number, name)))
    guard range.contains(value) else {
      throw .badValue(WireField(number, name, value, outside: range))
    }
  }

  package mutating func enumeration<E: RawRepresentable<UInt8>>(
    _ number: UInt32, _ name: String, _: String, _ value: inout E
  ) throws(WireError) {
    value = try Self.enumerated(try takeNumber(number, name), of: number, name)
  }

  package mutating func enumeration<E: RawRepresentable<UInt8>>(
    _ number: UInt32, _ name: String, _: String, _ value: inout E?
  ) throws(WireError) {
    let raw = try takeNumber(number, name)
    value = raw == 0 ? nil : try Self.enumerated(raw, of: number, name)
  }

  package mutating func set(
    _ number: UInt32, _ name: String, _: String, _ value: inout ReleasedFields, atMost cap: Int
  ) throws(WireError) {
    var packed = MessageReader(try takeBytes(number, name, .atMost(cap)))
    var fields: [ReleasedField] = []
    while !packed.rest.isEmpty {
      let field: ReleasedField = try Self.enumerated(try packed.takeVarint(), of: number, name)
      guard field.rawValue > fields.last?.rawValue ?? 0 else {
        throw .badValue(WireField(number, name, "is not in ascending order"))
      }
      guard ReleasedFields.nameable.contains(field) else {
        throw .badValue(WireField(number, name, ReleasedFields.notNameable))
      }
      fields.append(field)
    }
    value = ReleasedFields(fields)
  }

  @_lifetime(value: copy self, copy value)
  package mutating func message<M: Message & ~Escapable>(
    _ number: UInt32, _ name: String, _: String, _ value: inout M, atMost cap: Int
  ) throws(WireError) {
    value = try M(MessageReader(try takeBytes(number, name, .atMost(cap))))
  }

  @_lifetime(value: copy self, copy value)
  package mutating func message<M: Message & ~Escapable>(
    _ number: UInt32, _ name: String, _: String, _ value: inout M?, atMost cap: Int
  ) throws(WireError) {
    let body = try takeBytes(number, name, .atMost(cap))
    value = body.isEmpty ? nil : try M(MessageReader(body))
  }

  package mutating func messages<M: Message>(
    _ number: UInt32, _ name: String, _: String, _ values: inout [M], atMost cap: Int,
    count limit: Int
  ) throws(WireError) {
    while let element = try takeElement(number, name, atMost: cap, values.count, of: limit) {
      values.append(try M(MessageReader(element)))
    }
  }
}

extension MessageReader {
  private static let sentAsDefault = "holds its default, which must be left out"

  /// The field's bytes; empty if it is absent.
  @_lifetime(copy self)
  private mutating func takeBytes(_ number: UInt32, _ name: String, _ size: FieldSize)
    throws(WireError) -> Span<UInt8>
  {
    var value = rest.extracting(first: 0)
    if try takeTag(number, name, .lengthDelimited) {
      value = try takeDelimited(number, name, size)
      guard !value.isEmpty else {
        throw .explicitDefault(WireField(number, name, Self.sentAsDefault))
      }
    }
    try size.check(value.count, of: number, name)
    return value
  }

  /// The next element of a repeated field, of which `count` were read before; nil after the last.
  @_lifetime(copy self)
  private mutating func takeElement(
    _ number: UInt32, _ name: String, atMost cap: Int, _ count: Int, of limit: Int
  ) throws(WireError) -> Span<UInt8>? {
    guard try takeTag(number, name, .lengthDelimited) else { return nil }
    let element = try takeDelimited(number, name, .atMost(cap))
    guard count < limit else {
      throw .tooLong(WireField(number, name, "has more than \(limit) elements"))
    }
    return element
  }

  /// The field's number; zero if it is absent.
  private mutating func takeNumber(_ number: UInt32, _ name: String) throws(WireError) -> UInt64 {
    guard try takeTag(number, name, .varint) else { return 0 }
    let value = try takeVarint()
    guard value != 0 else { throw .explicitDefault(WireField(number, name, Self.sentAsDefault)) }
    return value
  }

  /// The field's number, which may be zero; nil if it is absent.
  private mutating func takeOptional(_ number: UInt32, _ name: String) throws(WireError) -> UInt64?
  {
    try takeTag(number, name, .varint) ? try takeVarint() : nil
  }

  /// Consumes the tag if it is this field's; leaves a later field's tag for its own reader.
  private mutating func takeTag(_ field: UInt32, _ name: String, _ type: WireType) throws(WireError)
    -> Bool
  {
    guard !rest.isEmpty else { return false }
    let before = rest
    let tag = try takeVarint32()
    let number = tag >> 3
    guard number >= field else { throw .unexpectedField(number) }
    guard number == field else {
      rest = before
      return false
    }
    guard tag & 7 == type.rawValue else {
      throw .wireType(WireField(number, name, "has another wire type"))
    }
    return true
  }

  @_lifetime(copy self)
  private mutating func takeDelimited(_ number: UInt32, _ name: String, _ size: FieldSize)
    throws(WireError) -> Span<UInt8>
  {
    let length = try takeVarint()
    guard length <= UInt64(rest.count) else { throw .truncated }
    guard length <= UInt64(size.most) else {
      throw .tooLong(size.flawed(Int(length), number, name))
    }
    let value = rest.extracting(first: Int(length))
    rest = rest.extracting(droppingFirst: Int(length))
    return value
  }

  private mutating func takeVarint32() throws(WireError) -> UInt32 {
    try Self.narrow(try takeVarint())
  }

  // Most tags and lengths are of one byte.
  @inline(__always)
  private mutating func takeVarint() throws(WireError) -> UInt64 {
    guard !rest.isEmpty, rest[0] < 0x80 else { return try takeLongVarint() }
    let value = UInt64(rest[0])
    rest = rest.extracting(droppingFirst: 1)
    return value
  }

  private mutating func takeLongVarint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    for i in 0..<10 {
      guard i < rest.count else { throw .truncated }
      let byte = rest[i]
      // Only one bit of the tenth byte fits.
      guard i < 9 || byte <= 1 else { throw .varint }
      value |= UInt64(byte & 0x7F) << UInt64(7 * i)
      guard byte & 0x80 == 0 else { continue }
      guard byte != 0 || i == 0 else { throw .varint }
      rest = rest.extracting(droppingFirst: i + 1)
      return value
    }
    throw .varint
  }

  private static func narrow(_ value: UInt64) throws(WireError) -> UInt32 {
    guard let narrow = UInt32(exactly: value) else { throw .varint }
    return narrow
  }

  private static func enumerated<E: RawRepresentable<UInt8>>(
    _ raw: UInt64, of number: UInt32, _ name: String
  ) throws(WireError) -> E {
    guard let raw = UInt8(exactly: raw), let value = E(rawValue: raw) else {
      throw .badValue(
        WireField(number, name, raw == 0 ? "is missing" : "is none of the values it takes"))
    }
    return value
  }

  @_lifetime(copy bytes)
  private static func text(_ bytes: Span<UInt8>, of number: UInt32, _ name: String)
    throws(WireError) -> UTF8Span
  {
    do throws(UTF8.ValidationError) { return try UTF8Span(validating: bytes) } catch {
      throw .text(WireField(number, name, "is not UTF-8"))
    }
  }
}
