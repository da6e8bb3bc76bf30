// Encoding: JSON, DER, hex, base64 and time as text, read strictly and written canonically.
// It is pure: bytes in, values out, with limits on size, depth and count.
// It must not know secrets, keys, files or what a text means.

/// A value of canonical JSON (RFC 8785, JCS), restricted so that each value has only one encoding.
///
/// It allows objects, arrays, strings, integers of at most 53 bits and booleans, but not null or
/// fractions. Member names are printable ASCII without `"` and `\`, so that byte order equals the
/// standard's UTF-16 order. If a text parses, `serialised` returns the same text, byte for byte.
package enum CanonicalJSON: Equatable, Sendable {
  /// Members in any order; writing sorts them.
  case object([Member])
  case array([CanonicalJSON])
  case string(String)
  case integer(Int64)
  case bool(Bool)

  package struct Member: Equatable, Sendable {
    package let name: String
    package let value: CanonicalJSON

    package init(_ name: String, _ value: CanonicalJSON) {
      self.name = name
      self.value = value
    }
  }

  /// The largest magnitude of an integer (RFC 7493 §2.2).
  package static let integerLimit: Int64 = 1 << 53 - 1
  package static let depthLimit = 16

  /// Parses text that must be exactly canonical, with nothing before or after it.
  ///
  /// - Parameter byteLimit: the longest text that is parsed, in bytes.
  /// - Throws: `CanonicalJSONError`.
  package init(parsing text: Span<UInt8>, byteLimit: Int) throws(CanonicalJSONError) {
    guard text.count <= byteLimit else { throw .tooLong }
    var reader = CanonicalJSONReader(text)
    try self.init(reading: &reader)
    try reader.end()
  }

  /// The canonical text, UTF-8, without a newline.
  package var serialised: [UInt8] {
    var writer = CanonicalJSONWriter()
    write(into: &writer)
    return writer.bytes
  }
}

/// A value that stands in JSON as it is.
package protocol JSONValue {
  var jsonValue: CanonicalJSON { get }
}

extension CanonicalJSON: JSONValue { package var jsonValue: CanonicalJSON { self } }
extension String: JSONValue { package var jsonValue: CanonicalJSON { .string(self) } }
extension Bool: JSONValue { package var jsonValue: CanonicalJSON { .bool(self) } }

extension Array: JSONValue where Element: JSONValue {
  package var jsonValue: CanonicalJSON { .array(map(\.jsonValue)) }
}

extension JSONValue where Self: BinaryInteger {
  /// What is beyond JSON's integers becomes the last of them.
  package var jsonValue: CanonicalJSON {
    let limit = CanonicalJSON.integerLimit
    return .integer(min(max(Int64(clamping: self), -limit), limit))
  }
}

// Not bytes: an array of them is no JSON that anybody wants.
extension Int: JSONValue {}
extension Int32: JSONValue {}
extension Int64: JSONValue {}
extension UInt16: JSONValue {}
extension UInt32: JSONValue {}
extension UInt64: JSONValue {}

extension CanonicalJSON: ExpressibleByDictionaryLiteral {
  /// An object; nil leaves its member out.
  package init(dictionaryLiteral members: (String, (any JSONValue)?)...) {
    self = .object(members.compactMap { name, value in value.map { Member(name, $0.jsonValue) } })
  }

  /// An object with the members of both.
  package static func + (a: CanonicalJSON, b: CanonicalJSON) -> CanonicalJSON {
    guard case .object(let more) = b, case .object(let members) = a else { return a }
    return .object(members + more)
  }
}

/// Why a text is not canonical JSON of this kind; offsets are in bytes.
package enum CanonicalJSONError: Error, Equatable {
  case tooLong
  case tooDeep(offset: Int)
  case syntax(offset: Int)
  /// The names in an object must be strictly ascending.
  case order(offset: Int)
  /// The text is canonical, but a member is missing, unknown or of the wrong type.
  case schema
}

extension CanonicalJSON {
  /// Reads one value of any kind.
  package init(reading reader: inout CanonicalJSONReader) throws(CanonicalJSONError) {
    switch try reader.next() {
    case .object:
      var members: [Member] = []
      try reader.readObject { (reader, name) throws(CanonicalJSONError) in
        let name = reader.text(name)
        members.append(Member(name, try CanonicalJSON(reading: &reader)))
      }
      self = .object(members)
    case .array:
      var elements: [CanonicalJSON] = []
      try reader.readArray { (reader) throws(CanonicalJSONError) in
        elements.append(try CanonicalJSON(reading: &reader))
      }
      self = .array(elements)
    case .string: self = .string(try reader.readString())
    case .integer: self = .integer(try reader.readInteger())
    case .bool: self = .bool(try reader.readBool())
    }
  }

  package func write(into writer: inout CanonicalJSONWriter) {
    switch self {
    case .object(let members):
      writer.object { writer in
        for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
          writer.name(member.name)
          member.value.write(into: &writer)
        }
      }
    case .array(let elements):
      writer.array { writer in
        for element in elements {
          writer.element()
          element.write(into: &writer)
        }
      }
    case .string(let text): writer.string(text)
    case .integer(let value): writer.integer(value)
    case .bool(let value): writer.bool(value)
    }
  }
}

/// The members of one object, removed one by one until none is left.
///
/// A decoder removes every member that it knows and then calls `end()`, which refuses unknown
/// members.
package struct CanonicalJSONFields {
  private var members: [CanonicalJSON.Member]

  package init(_ value: CanonicalJSON) throws(CanonicalJSONError) {
    guard case .object(let members) = value else { throw .schema }
    self.members = members
  }

  /// The value of a member that may be absent.
  package mutating func optional(_ name: String) -> CanonicalJSON? {
    guard let place = members.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      return nil
    }
    return members.remove(at: place).value
  }

  package mutating func required(_ name: String) throws(CanonicalJSONError) -> CanonicalJSON {
    guard let value = optional(name) else { throw .schema }
    return value
  }

  package mutating func string(_ name: String) throws(CanonicalJSONError) -> String {
    try required(name).asString()
  }

  package mutating func integer(_ name: String) throws(CanonicalJSONError) -> Int64 {
    try required(name).asInteger()
  }

  /// What a string means; nil is refused.
  package mutating func string<Value>(_ name: String, as read: (String) -> Value?)
    throws(CanonicalJSONError) -> Value
  {
    guard let value = read(try string(name)) else { throw .schema }
    return value
  }

  /// An integer of another type, which must have room for it.
  package mutating func number<Number: FixedWidthInteger>(_ name: String)
    throws(CanonicalJSONError) -> Number
  {
    guard let number = Number(exactly: try integer(name)) else { throw .schema }
    return number
  }

  package mutating func array(_ name: String) throws(CanonicalJSONError) -> [CanonicalJSON] {
    guard case .array(let elements) = try required(name) else { throw .schema }
    return elements
  }

  package mutating func object(_ name: String) throws(CanonicalJSONError) -> CanonicalJSONFields {
    try CanonicalJSONFields(try required(name))
  }

  package mutating func optionalString(_ name: String) throws(CanonicalJSONError) -> String? {
    guard let value = optional(name) else { return nil }
    return try value.asString()
  }

  package mutating func optionalInteger(_ name: String) throws(CanonicalJSONError) -> Int64? {
    guard let value = optional(name) else { return nil }
    return try value.asInteger()
  }

  package mutating func optionalBool(_ name: String) throws(CanonicalJSONError) -> Bool? {
    guard let value = optional(name) else { return nil }
    return try value.asBool()
  }

  /// Checks that nothing is left over.
  package func end() throws(CanonicalJSONError) {
    guard members.isEmpty else { throw .schema }
  }
}

extension CanonicalJSON {
  func asString() throws(CanonicalJSONError) -> String {
    guard case .string(let text) = self else { throw .schema }
    return text
  }

  package func asBool() throws(CanonicalJSONError) -> Bool {
    guard case .bool(let value) = self else { throw .schema }
    return value
  }

  func asInteger() throws(CanonicalJSONError) -> Int64 {
    guard case .integer(let value) = self else { throw .schema }
    return value
  }
}

/// A member's name where it stands in a text.
///
/// Its first sixteen bytes are at hand as a number, so that names are compared as numbers and
/// nothing is allocated for them.
package struct CanonicalJSONName: Sendable {
  package let place: Range<Int>
  /// Big-endian, with zeros behind a shorter name; no name has a zero byte, so these numbers are in
  /// the order of the names.
  package let head: UInt128

  /// Stands before the first name.
  static let none = CanonicalJSONName(place: 0..<0, head: 0)
}

extension CanonicalJSONName {
  /// - Parameter place: not empty.
  @inline(always) init(_ text: Span<UInt8>, at place: Range<Int>) {
    self.place = place
    let first = Self.number(text, at: place.lowerBound, count: min(place.count, 8))
    let second =
      place.count > 8
      ? Self.number(text, at: place.lowerBound + 8, count: min(place.count - 8, 8)) : 0
    head = (UInt128(first) &<< 64) | UInt128(second)
  }

  @inline(always) private static func number(_ text: Span<UInt8>, at offset: Int, count: Int)
    -> UInt64
  {
    if let eight = EightBytes(text, at: offset) { return eight.bigEndian(first: count) }
    var number: UInt64 = 0
    for i in offset..<offset + count { number = number << 8 | UInt64(text[i]) }
    return number << UInt64(64 - 8 * count)
  }
}
