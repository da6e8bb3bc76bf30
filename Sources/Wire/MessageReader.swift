/// Reads one message of the strict proto3 subset from a borrowed buffer, in one pass and in ascending field order.
///
/// It accepts only canonical messages [WIRE-3]: known fields, ascending, each at most once unless repeated, minimal varints,
/// no explicit defaults, nothing left over. So decoding and encoding again gives the same bytes.
package struct MessageReader: ~Escapable, ~Copyable {
  private var rest: Span<UInt8>

  @_lifetime(copy body)
  package init(_ body: Span<UInt8>) { rest = body }

  /// The bytes not read yet, for messages that keep ranges instead of values.
  package var unread: Span<UInt8> {
    @_lifetime(copy self)
    get { rest }
  }

  /// The field's bytes; empty if it is absent.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func bytes(_ field: Field, atMost cap: Int) throws(WireError) -> Span<UInt8> {
    guard try takeTag(field, .lengthDelimited) else { return rest.extracting(first: 0) }
    let value = try takeDelimited(field, atMost: cap)
    guard !value.isEmpty || field.presence == .optional else { throw .explicitDefault(field.number) }
    return value
  }

  /// The field's bytes; it must be present and have exactly `count` of them.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func bytes(_ field: Field, exactly count: Int) throws(WireError) -> Span<UInt8> {
    let value = try bytes(field, atMost: count)
    guard value.count == count else { throw .badValue(field.number) }
    return value
  }

  /// The field's bytes; it must be absent or have exactly `count` of them.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func bytes(_ field: Field, absentOr count: Int) throws(WireError) -> Span<UInt8> {
    let value = try bytes(field, atMost: count)
    guard value.isEmpty || value.count == count else { throw .badValue(field.number) }
    return value
  }

  /// The field's text in place, checked to be UTF-8; empty if it is absent. For text that may be secret.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func text(_ field: Field, atMost cap: Int) throws(WireError) -> Span<UInt8> {
    let value = try bytes(field, atMost: cap)
    do throws(UTF8.ValidationError) { _ = try UTF8Span(validating: value) } catch { throw .text(field.number) }
    return value
  }

  /// The field's text, checked to be UTF-8; empty if it is absent. For text that is not secret.
  @_lifetime(self: copy self)
  package mutating func string(_ field: Field, atMost cap: Int) throws(WireError) -> String {
    let value = try bytes(field, atMost: cap)
    do throws(UTF8.ValidationError) { return String(copying: try UTF8Span(validating: value)) } catch { throw .text(field.number) }
  }

  /// The field's number; zero if it is absent.
  @_lifetime(self: copy self)
  package mutating func uint64(_ field: Field) throws(WireError) -> UInt64 {
    guard try takeTag(field, .varint) else { return 0 }
    let value = try takeVarint()
    guard value != 0 else { throw .explicitDefault(field.number) }
    return value
  }

  /// The field's number, which may be zero; nil if it is absent.
  @_lifetime(self: copy self)
  package mutating func optionalUInt64(_ field: Field) throws(WireError) -> UInt64? {
    guard try takeTag(field, .varint) else { return nil }
    return try takeVarint()
  }

  /// The field's number, which may be zero; nil if it is absent.
  @_lifetime(self: copy self)
  package mutating func optionalUInt32(_ field: Field) throws(WireError) -> UInt32? {
    guard let value = try optionalUInt64(field) else { return nil }
    guard let number = UInt32(exactly: value) else { throw .varint }
    return number
  }

  @_lifetime(self: copy self)
  package mutating func uint32(_ field: Field) throws(WireError) -> UInt32 {
    guard let value = UInt32(exactly: try uint64(field)) else { throw .varint }
    return value
  }

  @_lifetime(self: copy self)
  package mutating func bool(_ field: Field) throws(WireError) -> Bool {
    switch try uint64(field) {
    case 0: return false
    case 1: return true
    default: throw .varint
    }
  }

  /// The enum case; the field must be present.
  @_lifetime(self: copy self)
  package mutating func enumeration<E: RawRepresentable<UInt8>>(_ field: Field) throws(WireError) -> E {
    guard let number = UInt8(exactly: try uint64(field)), let value = E(rawValue: number) else { throw .badValue(field.number) }
    return value
  }

  /// The enum case; nil if the field is absent.
  @_lifetime(self: copy self)
  package mutating func optionalEnumeration<E: RawRepresentable<UInt8>>(_ field: Field) throws(WireError) -> E? {
    let number = try uint64(field)
    guard number != 0 else { return nil }
    guard let number = UInt8(exactly: number), let value = E(rawValue: number) else { throw .badValue(field.number) }
    return value
  }

  /// The next element of a repeated length-delimited field; nil after the last.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func element(_ field: Field, atMost cap: Int) throws(WireError) -> Span<UInt8>? {
    guard try takeTag(field, .lengthDelimited) else { return nil }
    return try takeDelimited(field, atMost: cap)
  }

  /// Every text of a repeated field, checked to be UTF-8. For texts that are not secret.
  @_lifetime(self: copy self)
  package mutating func strings(_ field: Field, atMost cap: Int, count limit: Int) throws(WireError) -> [String] {
    var texts: [String] = []
    while let value = try element(field, atMost: cap) {
      guard texts.count < limit else { throw .tooLong(field.number) }
      do throws(UTF8.ValidationError) { texts.append(String(copying: try UTF8Span(validating: value))) } catch { throw .text(field.number) }
    }
    return texts
  }

  /// A packed list of strictly ascending small numbers; empty if absent.
  @_lifetime(self: copy self)
  package mutating func ascendingNumbers(_ field: Field, atMost cap: Int) throws(WireError) -> [UInt8] {
    var packed = MessageReader(try bytes(field, atMost: cap))
    var numbers: [UInt8] = []
    while !packed.rest.isEmpty {
      guard let number = UInt8(exactly: try packed.takeVarint()), number > numbers.last ?? 0 else { throw .badValue(field.number) }
      numbers.append(number)
    }
    return numbers
  }

  /// Checks that nothing is left over.
  ///
  /// - Throws: `WireError.unexpectedField` or `.trailingBytes`.
  package consuming func end() throws(WireError) {
    guard !rest.isEmpty else { return }
    guard let tag = try? takeVarint32() else { throw .trailingBytes }
    throw .unexpectedField(tag >> 3)
  }
}

extension MessageReader {
  private enum WireType: UInt32 {
    case varint = 0
    case lengthDelimited = 2
  }

  /// Consumes the tag if it is this field's; leaves a later field's tag for its own reader.
  @_lifetime(self: copy self)
  private mutating func takeTag(_ field: Field, _ type: WireType) throws(WireError) -> Bool {
    guard !rest.isEmpty else { return false }
    let before = rest
    let tag = try takeVarint32()
    let number = tag >> 3
    guard number >= field.number else { throw .unexpectedField(number) }
    guard number == field.number else {
      rest = before
      return false
    }
    guard tag & 7 == type.rawValue else { throw .wireType(number) }
    return true
  }

  @_lifetime(copy self)
  @_lifetime(self: copy self)
  private mutating func takeDelimited(_ field: Field, atMost cap: Int) throws(WireError) -> Span<UInt8> {
    let length = try takeVarint()
    guard length <= UInt64(rest.count) else { throw .truncated }
    guard length <= UInt64(cap) else { throw .tooLong(field.number) }
    let value = rest.extracting(first: Int(length))
    rest = rest.extracting(droppingFirst: Int(length))
    return value
  }

  @_lifetime(self: copy self)
  private mutating func takeVarint32() throws(WireError) -> UInt32 {
    guard let value = UInt32(exactly: try takeVarint()) else { throw .varint }
    return value
  }

  @_lifetime(self: copy self)
  private mutating func takeVarint() throws(WireError) -> UInt64 {
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
}
