package import Format

/// Lists the fields that a message shows, and their bounds, whose text is that of `vectors_test
/// --bounds` of the C client.
package struct FieldTable {
  package private(set) var fields: [Field] = []
  package private(set) var bounds: [String] = []

  package init<M: Message & ~Escapable>(_: M.Type) throws {
    var message = M()
    try message.visit(&self)
  }

  private mutating func add(
    _ number: UInt32, _ name: String, _ kind: String, _ presence: Field.Presence = .implicit,
    _ range: ClosedRange<Int>? = nil, _ rest: String = "plain"
  ) {
    fields.append(Field(number, name, kind, presence))
    guard let range else { return }
    bounds.append(
      "\(number) \(name) \(range.lowerBound) \(range.upperBound == .max ? "any" : "\(range.upperBound)") \(rest)"
    )
  }

  private mutating func add(_ number: UInt32, _ name: String, _ kind: String, _ size: FieldSize) {
    add(
      number, name, kind, .implicit, size.least...size.most, size.isRequired ? "required" : "plain")
  }
}

extension FieldTable: FieldVisitor {
  @_lifetime(value: copy value)
  package mutating func bytes(
    _ number: UInt32, _ name: String, _ value: inout Span<UInt8>, _ size: FieldSize
  ) { add(number, name, "bytes", size) }
  package mutating func bytes(
    _ number: UInt32, _ name: String, _ value: inout [UInt8], _ size: FieldSize
  ) { add(number, name, "bytes", size) }
  package mutating func bytes(
    _ number: UInt32, _ name: String, _ values: inout [[UInt8]], atMost cap: Int, count limit: Int
  ) {
    add(number, name, "bytes", .repeated, 0...cap, "list \(limit)")
  }

  @_lifetime(value: copy value)
  package mutating func text(
    _ number: UInt32, _ name: String, _ value: inout Span<UInt8>, _ size: FieldSize
  ) { add(number, name, "string", size) }
  package mutating func text(
    _ number: UInt32, _ name: String, _ value: inout String, _ size: FieldSize
  ) { add(number, name, "string", size) }
  package mutating func texts(
    _ number: UInt32, _ name: String, _ values: inout [String], atMost cap: Int, count limit: Int
  ) {
    add(number, name, "string", .repeated, 0...cap, "list \(limit)")
  }

  package mutating func bool(_ number: UInt32, _ name: String, _ value: inout Bool) {
    add(number, name, "bool")
  }
  package mutating func uint64(_ number: UInt32, _ name: String, _ value: inout UInt64) {
    add(number, name, "uint64")
  }
  package mutating func uint64(_ number: UInt32, _ name: String, _ value: inout UInt64?) {
    add(number, name, "uint64", .optional)
  }
  package mutating func uint32(_ number: UInt32, _ name: String, _ value: inout UInt32) {
    add(number, name, "uint32")
  }
  package mutating func uint32(_ number: UInt32, _ name: String, _ value: inout UInt32?) {
    add(number, name, "uint32", .optional)
  }
  package mutating func uint32(
    _ number: UInt32, _ name: String, _ value: inout Int, in range: ClosedRange<Int>
  ) {
    add(number, name, "uint32", .implicit, range, range.contains(0) ? "plain" : "required")
  }

  package mutating func enumeration<E: RawRepresentable<UInt8>>(
    _ number: UInt32, _ name: String, _ type: String, _ value: inout E
  ) {
    add(number, name, type)
  }
  package mutating func enumeration<E: RawRepresentable<UInt8>>(
    _ number: UInt32, _ name: String, _ type: String, _ value: inout E?
  ) {
    add(number, name, type)
  }
  package mutating func set(
    _ number: UInt32, _ name: String, _ type: String, _ value: inout ReleasedFields, atMost cap: Int
  ) {
    add(number, name, type, .repeated, 0...cap)
  }

  @_lifetime(value: copy value)
  package mutating func message<M: Message & ~Escapable>(
    _ number: UInt32, _ name: String, _ type: String, _ value: inout M, atMost cap: Int
  ) {
    add(number, name, type, .implicit, 0...cap)
  }
  @_lifetime(value: copy value)
  package mutating func message<M: Message & ~Escapable>(
    _ number: UInt32, _ name: String, _ type: String, _ value: inout M?, atMost cap: Int
  ) {
    add(number, name, type, .implicit, 0...cap)
  }
  package mutating func messages<M: Message>(
    _ number: UInt32, _ name: String, _ type: String, _ values: inout [M], atMost cap: Int,
    count limit: Int
  ) {
    add(number, name, type, .repeated, 0...cap, "list \(limit)")
  }
}
