import Format

/// What was decoded, written as the vectors list it: present fields in the order of their numbers.
struct Listing {
  private(set) var lines: [String] = []
  private var prefix = ""

  mutating func nested(_ name: String, _ body: (inout Listing) throws -> Void) rethrows {
    let outer = prefix
    prefix += name + "."
    try body(&self)
    prefix = outer
  }

  mutating func always(_ name: String, _ value: String) {
    lines.append("\(prefix)\(name) = \(value)")
  }

  mutating func bytes(_ name: String, _ value: Span<UInt8>) {
    if !value.isEmpty { always(name, "hex:\(Hex.encode(value))") }
  }

  private mutating func text(_ name: String, _ value: String) {
    if !value.isEmpty { always(name, "text:\(value)") }
  }

  private mutating func number(_ name: String, _ value: some BinaryInteger) {
    if value != 0 { always(name, "\(value)") }
  }

  private mutating func nested<M: Message & ~Escapable>(_ name: String, message: M)
    throws(WireError)
  {
    let outer = prefix
    prefix += name + "."
    var message = message
    try message.visit(&self)
    prefix = outer
  }
}

extension Listing: FieldVisitor {
  @_lifetime(value: copy value)
  mutating func bytes(_: UInt32, _ name: String, _ value: inout Span<UInt8>, _: FieldSize) {
    bytes(name, value)
  }
  mutating func bytes(_: UInt32, _ name: String, _ value: inout [UInt8], _: FieldSize) {
    bytes(name, value.span)
  }
  mutating func bytes(_: UInt32, _ name: String, _ values: inout [[UInt8]], atMost: Int, count: Int)
  {
    for (i, value) in values.enumerated() { always("\(name)[\(i)]", "hex:\(Hex.encode(value))") }
  }

  @_lifetime(value: copy value)
  mutating func text(_: UInt32, _ name: String, _ value: inout Span<UInt8>, _: FieldSize) {
    text(name, String(decoding: value.array, as: UTF8.self))
  }
  mutating func text(_: UInt32, _ name: String, _ value: inout String, _: FieldSize) {
    text(name, value)
  }
  mutating func texts(_: UInt32, _ name: String, _ values: inout [String], atMost: Int, count: Int)
  {
    for (i, value) in values.enumerated() { always("\(name)[\(i)]", "text:\(value)") }
  }

  mutating func bool(_: UInt32, _ name: String, _ value: inout Bool) {
    if value { always(name, "true") }
  }
  mutating func uint64(_: UInt32, _ name: String, _ value: inout UInt64) { number(name, value) }
  mutating func uint64(_: UInt32, _ name: String, _ value: inout UInt64?) {
    if let value { always(name, "\(value)") }
  }
  mutating func uint32(_: UInt32, _ name: String, _ value: inout UInt32) { number(name, value) }
  mutating func uint32(_: UInt32, _ name: String, _ value: inout UInt32?) {
    if let value { always(name, "\(value)") }
  }
  mutating func uint32(_: UInt32, _ name: String, _ value: inout Int, in: ClosedRange<Int>) {
    number(name, value)
  }

  mutating func enumeration<E: RawRepresentable<UInt8>>(
    _: UInt32, _ name: String, _: String, _ value: inout E
  ) { number(name, value.rawValue) }
  mutating func enumeration<E: RawRepresentable<UInt8>>(
    _: UInt32, _ name: String, _: String, _ value: inout E?
  ) {
    if let value { number(name, value.rawValue) }
  }
  mutating func set(
    _: UInt32, _ name: String, _: String, _ value: inout ReleasedFields, atMost: Int
  ) {
    for (i, field) in value.fields.enumerated() { number("\(name)[\(i)]", field.rawValue) }
  }

  @_lifetime(value: copy value)
  mutating func message<M: Message & ~Escapable>(
    _: UInt32, _ name: String, _: String, _ value: inout M, atMost: Int
  ) throws(WireError) {
    try nested(name, message: value)
  }
  @_lifetime(value: copy value)
  mutating func message<M: Message & ~Escapable>(
    _: UInt32, _ name: String, _: String, _ value: inout M?, atMost: Int
  ) throws(WireError) {
    if let value { try nested(name, message: value) }
  }
  mutating func messages<M: Message>(
    _: UInt32, _ name: String, _: String, _ values: inout [M], atMost: Int, count: Int
  ) throws(WireError) {
    for (i, value) in values.enumerated() { try nested("\(name)[\(i)]", message: value) }
  }
}
