// Wire: frames and messages, as bytes on a socket and back.
// It declares each field once, with its number and bounds, and refuses what it does not know.
// It must not know who sends a message, what a request does, or that there is a socket.

/// The body of a request or a reply, or a part of one: a message of `proto/kist.proto`.
///
/// A message names its fields once, in `visit`.  The reader, the writer and the tests' tables are
/// visitors.
package protocol Message: ~Escapable {
  /// Every field absent.
  @_lifetime(immortal)
  init()

  /// Shows every field to `visitor`, in the order of their numbers.
  @_lifetime(self: copy self, copy visitor)
  mutating func visit(_ visitor: inout some Visitor) throws(WireError)

  /// What binds the fields to one another, beyond the bounds of each.
  ///
  /// - Throws: `WireError.badValue` with the number of the field at fault.
  func check() throws(WireError)

  // Requirements, so that the compiler makes them for each message instead of once for all.
  @_lifetime(self: copy self, copy reader)
  mutating func read(_ reader: inout MessageReader) throws(WireError)
  consuming func write(into writer: inout MessageWriter) throws(WireError)
}

extension Message where Self: ~Escapable {
  /// Decodes a whole message: known fields within their bounds, and nothing left over.
  @inlinable
  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    self.init()
    var reader = body
    try read(&reader)
    try reader.end()
  }

  /// - Throws: `WireError.tooLong` or `.badValue` for what a reader would refuse, `.tooLong` where
  ///   there is no room.
  @inlinable
  package consuming func encode(into writer: inout MessageWriter) throws(WireError) {
    try write(into: &writer)
  }

  package func check() throws(WireError) {}

  @_lifetime(self: copy self, copy reader)
  package mutating func read(_ reader: inout MessageReader) throws(WireError) {
    try visit(&reader)
    try check()
  }

  package consuming func write(into writer: inout MessageWriter) throws(WireError) {
    try check()
    try visit(&writer)
  }
}

/// What a message shows its fields to: the reader sets each value, the writer writes it, and tests
/// list it.
///
/// Every call has the field's number, its name in the schema, its value and its bounds.  A value
/// equal to its default is absent on the wire, except where it is optional.
package protocol FieldVisitor: ~Copyable, ~Escapable {
  /// Bytes where they are, so that secrets are not copied.
  @_lifetime(value: copy self, copy value)
  mutating func bytes(
    _ number: UInt32, _ name: String, _ value: inout Span<UInt8>, _ size: FieldSize)
    throws(WireError)
  /// A copy, for bytes that are not secret.
  mutating func bytes(_ number: UInt32, _ name: String, _ value: inout [UInt8], _ size: FieldSize)
    throws(WireError)
  mutating func bytes(
    _ number: UInt32, _ name: String, _ values: inout [[UInt8]], atMost cap: Int, count limit: Int)
    throws(WireError)

  /// UTF-8 where it is, so that secrets are not copied.
  @_lifetime(value: copy self, copy value)
  mutating func text(
    _ number: UInt32, _ name: String, _ value: inout Span<UInt8>, _ size: FieldSize)
    throws(WireError)
  /// A copy, for text that is not secret.
  mutating func text(_ number: UInt32, _ name: String, _ value: inout String, _ size: FieldSize)
    throws(WireError)
  mutating func texts(
    _ number: UInt32, _ name: String, _ values: inout [String], atMost cap: Int, count limit: Int)
    throws(WireError)

  mutating func bool(_ number: UInt32, _ name: String, _ value: inout Bool) throws(WireError)
  mutating func uint64(_ number: UInt32, _ name: String, _ value: inout UInt64) throws(WireError)
  mutating func uint64(_ number: UInt32, _ name: String, _ value: inout UInt64?) throws(WireError)
  mutating func uint32(_ number: UInt32, _ name: String, _ value: inout UInt32) throws(WireError)
  mutating func uint32(_ number: UInt32, _ name: String, _ value: inout UInt32?) throws(WireError)
  mutating func uint32(
    _ number: UInt32, _ name: String, _ value: inout Int, in range: ClosedRange<Int>)
    throws(WireError)

  /// A case that must be there; `type` is the enum's name in the schema.
  mutating func enumeration<E: RawRepresentable<UInt8>>(
    _ number: UInt32, _ name: String, _ type: String, _ value: inout E) throws(WireError)
  mutating func enumeration<E: RawRepresentable<UInt8>>(
    _ number: UInt32, _ name: String, _ type: String, _ value: inout E?) throws(WireError)
  /// A packed list of ascending cases, of at most `cap` bytes.
  mutating func set(
    _ number: UInt32, _ name: String, _ type: String, _ value: inout ReleasedFields, atMost cap: Int
  ) throws(WireError)

  /// A message of at most `cap` bytes; one without fields is absent.
  @_lifetime(value: copy self, copy value)
  mutating func message<M: Message & ~Escapable>(
    _ number: UInt32, _ name: String, _ type: String, _ value: inout M, atMost cap: Int)
    throws(WireError)
  @_lifetime(value: copy self, copy value)
  mutating func message<M: Message & ~Escapable>(
    _ number: UInt32, _ name: String, _ type: String, _ value: inout M?, atMost cap: Int)
    throws(WireError)
  /// Messages of at most `cap` bytes each.
  mutating func messages<M: Message>(
    _ number: UInt32, _ name: String, _ type: String, _ values: inout [M], atMost cap: Int,
    count limit: Int) throws(WireError)
}

package typealias Visitor = FieldVisitor & ~Copyable & ~Escapable

/// How many bytes a field takes.
package struct FieldSize: Hashable, Sendable {
  /// Of a field that is there.
  package let least: Int
  package let most: Int
  /// Whether the field must be there.
  package let isRequired: Bool

  package static let any = atMost(.max)
  package static func atMost(_ most: Int) -> FieldSize {
    FieldSize(least: 0, most: most, isRequired: false)
  }
  package static func absentOr(_ count: Int) -> FieldSize {
    FieldSize(least: count, most: count, isRequired: false)
  }
  package static func exactly(_ count: Int) -> FieldSize {
    FieldSize(least: count, most: count, isRequired: true)
  }
  package static func oneTo(_ most: Int) -> FieldSize {
    FieldSize(least: 1, most: most, isRequired: true)
  }

  /// - Throws: `WireError.tooLong` for more bytes than the field takes, `.badValue` for fewer.
  func check(_ count: Int, of number: UInt32, _ name: String) throws(WireError) {
    guard count <= most else { throw .tooLong(flawed(count, number, name)) }
    guard count >= least || (count == 0 && !isRequired) else {
      throw .badValue(flawed(count, number, name))
    }
  }

  func flawed(_ count: Int, _ number: UInt32, _ name: String) -> WireField {
    WireField(number, name, count == 0 ? "is missing" : "has \(count) bytes; it takes \(self)")
  }
}

extension FieldSize: CustomStringConvertible {
  /// Such as `32`, `1 to 64`, `at most 64`.
  package var description: String {
    least == most ? "\(most)" : least == 0 ? "at most \(most)" : "\(least) to \(most)"
  }
}

/// The form of a field's value, in the low three bits of its tag.
enum WireType: UInt32 {
  case varint = 0
  case lengthDelimited = 2
}

/// A body that says nothing.
package struct NoFields: Message {
  package init() {}
  package mutating func visit(_ visitor: inout some Visitor) {}
}
