/// What a message shows its fields to: the reader sets each value, the writer writes it, and tests list it.
///
/// Every call has the field's number, its name in the schema, its value and its bounds.  A value equal to its default is absent on
/// the wire, except where it is optional.
package protocol FieldVisitor: ~Copyable, ~Escapable {
  /// Bytes where they are, so that secrets are not copied.
  @_lifetime(value: copy self, copy value)
  mutating func bytes(_ number: UInt32, _ name: String, _ value: inout Span<UInt8>, _ size: FieldSize) throws(WireError)
  /// A copy, for bytes that are not secret.
  mutating func bytes(_ number: UInt32, _ name: String, _ value: inout [UInt8], _ size: FieldSize) throws(WireError)
  mutating func bytes(_ number: UInt32, _ name: String, _ values: inout [[UInt8]], atMost cap: Int, count limit: Int) throws(WireError)

  /// UTF-8 where it is, so that secrets are not copied.
  @_lifetime(value: copy self, copy value)
  mutating func text(_ number: UInt32, _ name: String, _ value: inout Span<UInt8>, _ size: FieldSize) throws(WireError)
  /// A copy, for text that is not secret.
  mutating func text(_ number: UInt32, _ name: String, _ value: inout String, _ size: FieldSize) throws(WireError)
  mutating func texts(_ number: UInt32, _ name: String, _ values: inout [String], atMost cap: Int, count limit: Int) throws(WireError)

  mutating func bool(_ number: UInt32, _ name: String, _ value: inout Bool) throws(WireError)
  mutating func uint64(_ number: UInt32, _ name: String, _ value: inout UInt64) throws(WireError)
  mutating func uint64(_ number: UInt32, _ name: String, _ value: inout UInt64?) throws(WireError)
  mutating func uint32(_ number: UInt32, _ name: String, _ value: inout UInt32) throws(WireError)
  mutating func uint32(_ number: UInt32, _ name: String, _ value: inout UInt32?) throws(WireError)
  mutating func uint32(_ number: UInt32, _ name: String, _ value: inout Int, in range: ClosedRange<Int>) throws(WireError)

  /// A case that must be there; `type` is the enum's name in the schema.
  mutating func enumeration<E: RawRepresentable<UInt8>>(_ number: UInt32, _ name: String, _ type: String, _ value: inout E) throws(WireError)
  mutating func enumeration<E: RawRepresentable<UInt8>>(_ number: UInt32, _ name: String, _ type: String, _ value: inout E?) throws(WireError)
  /// A packed list of ascending cases, of at most `cap` bytes.
  mutating func set(_ number: UInt32, _ name: String, _ type: String, _ value: inout ReleasedFields, atMost cap: Int) throws(WireError)

  /// A message of at most `cap` bytes; one without fields is absent.
  @_lifetime(value: copy self, copy value)
  mutating func message<M: Message & ~Escapable>(_ number: UInt32, _ name: String, _ type: String, _ value: inout M, atMost cap: Int) throws(WireError)
  @_lifetime(value: copy self, copy value)
  mutating func message<M: Message & ~Escapable>(_ number: UInt32, _ name: String, _ type: String, _ value: inout M?, atMost cap: Int) throws(WireError)
  /// Messages of at most `cap` bytes each.
  mutating func messages<M: Message>(_ number: UInt32, _ name: String, _ type: String, _ values: inout [M], atMost cap: Int, count limit: Int) throws(WireError)
}

package typealias Visitor = FieldVisitor & ~Copyable & ~Escapable
