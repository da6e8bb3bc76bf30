/// Writes one message of the strict proto3 subset into a borrowed buffer, in ascending field order.
///
/// Secrets are written directly to the buffer that is sent, and nowhere else.
package struct MessageWriter: ~Escapable, ~Copyable {
  private var out: MutableSpan<UInt8>
  /// Bytes written so far.
  package private(set) var count = 0
  private var lastField: UInt32 = 0

  @_lifetime(copy out)
  package init(_ out: consuming MutableSpan<UInt8>) { self.out = out }

  /// Writes bytes, or nothing if they are empty.
  package mutating func bytes(_ number: UInt32, _ value: Span<UInt8>) throws(WireError) {
    guard !value.isEmpty else { return }
    try element(number, value)
  }

  /// Lets `fill` write a value of at most `capacity` bytes in place; `fill` returns how many it
  /// wrote.
  package mutating func bytes<E: Error>(
    _ number: UInt32, capacity: Int, _ fill: (inout MutableSpan<UInt8>) throws(E) -> Int
  ) throws(E) -> Result<Void, WireError> {
    // Room for the tag and the longest length before the value.
    guard capacity + 8 <= out.count - count else { return .failure(.tooLong(Self.noRoom(number))) }
    let start = count
    do throws(WireError) { try tag(number, .lengthDelimited) } catch { return .failure(error) }
    let lengthAt = count
    var place = out._mutatingExtracting(lengthAt + 1..<lengthAt + 1 + capacity)
    let written = try fill(&place)
    precondition((0...capacity).contains(written))
    guard written > 0 else {
      count = start
      return .success(())
    }
    count = lengthAt + 1 + written
    do throws(WireError) { try close(lengthAt) } catch { return .failure(error) }
    return .success(())
  }

  /// Writes a number, even zero.
  package mutating func present(_ number: UInt32, _ value: UInt64) throws(WireError) {
    try tag(number, .varint)
    try varint(value)
  }
}

extension MessageWriter: FieldVisitor {
  @_lifetime(value: copy value)
  package mutating func bytes(
    _ number: UInt32, _ name: String, _ value: inout Span<UInt8>, _ size: FieldSize
  ) throws(WireError) {
    try size.check(value.count, of: number, name)
    try bytes(number, value)
  }

  package mutating func bytes(
    _ number: UInt32, _ name: String, _ value: inout [UInt8], _ size: FieldSize
  ) throws(WireError) {
    try size.check(value.count, of: number, name)
    try bytes(number, value.span)
  }

  package mutating func bytes(
    _ number: UInt32, _ name: String, _ values: inout [[UInt8]], atMost cap: Int, count limit: Int
  ) throws(WireError) {
    try Self.check(values.count, atMost: limit, of: number, name)
    for value in values {
      try FieldSize.atMost(cap).check(value.count, of: number, name)
      try element(number, value.span)
    }
  }

  @_lifetime(value: copy value)
  package mutating func text(
    _ number: UInt32, _ name: String, _ value: inout Span<UInt8>, _ size: FieldSize
  ) throws(WireError) {
    try bytes(number, name, &value, size)
  }

  package mutating func text(
    _ number: UInt32, _ name: String, _ value: inout String, _ size: FieldSize
  ) throws(WireError) {
    let utf8 = value.utf8.span
    try size.check(utf8.count, of: number, name)
    try bytes(number, utf8)
  }

  package mutating func texts(
    _ number: UInt32, _ name: String, _ values: inout [String], atMost cap: Int, count limit: Int
  ) throws(WireError) {
    try Self.check(values.count, atMost: limit, of: number, name)
    for value in values {
      let utf8 = value.utf8.span
      try FieldSize.atMost(cap).check(utf8.count, of: number, name)
      try element(number, utf8)
    }
  }

  package mutating func bool(_ number: UInt32, _: String, _ value: inout Bool) throws(WireError) {
    if value { try present(number, 1) }
  }

  package mutating func uint64(_ number: UInt32, _: String, _ value: inout UInt64) throws(WireError)
  {
    if value != 0 { try present(number, value) }
  }

  package mutating func uint64(_ number: UInt32, _: String, _ value: inout UInt64?)
    throws(WireError)
  {
    if let value { try present(number, value) }
  }

  package mutating func uint32(_ number: UInt32, _: String, _ value: inout UInt32) throws(WireError)
  {
    if value != 0 { try present(number, UInt64(value)) }
  }

  package mutating func uint32(_ number: UInt32, _: String, _ value: inout UInt32?)
    throws(WireError)
  {
    if let value { try present(number, UInt64(value)) }
  }

  package mutating func uint32(
    _ number: UInt32, _ name: String, _ value: inout Int, in range: ClosedRange<Int>
  ) throws(WireError) {
    guard range.contains(value) else {
      throw .badValue(WireField(number, name, value, outside: range))
    }
    if value != 0 { try present(number, UInt64(value)) }
  }

  package mutating func enumeration<E: RawRepresentable<UInt8>>(
    _ number: UInt32, _: String, _: String, _ value: inout E
  ) throws(WireError) {
    try present(number, UInt64(value.rawValue))
  }

  package mutating func enumeration<E: RawRepresentable<UInt8>>(
    _ number: UInt32, _: String, _: String, _ value: inout E?
  ) throws(WireError) {
    if let value { try present(number, UInt64(value.rawValue)) }
  }

  package mutating func set(
    _ number: UInt32, _ name: String, _: String, _ value: inout ReleasedFields, atMost cap: Int
  ) throws(WireError) {
    guard !value.isEmpty else { return }
    guard value.isSubset(of: .nameable) else {
      throw .badValue(WireField(number, name, ReleasedFields.notNameable))
    }
    let lengthAt = try open(number)
    for field in value.fields { try varint(UInt64(field.rawValue)) }
    try close(lengthAt)
  }

  @_lifetime(value: copy value)
  package mutating func message<M: Message & ~Escapable>(
    _ number: UInt32, _ name: String, _: String, _ value: inout M, atMost cap: Int
  ) throws(WireError) {
    if !Self.isEmpty(value) { try nested(number, name, value, .atMost(cap)) }
  }

  @_lifetime(value: copy value)
  package mutating func message<M: Message & ~Escapable>(
    _ number: UInt32, _ name: String, _: String, _ value: inout M?, atMost cap: Int
  ) throws(WireError) {
    if let value { try nested(number, name, value, .atMost(cap)) }
  }

  package mutating func messages<M: Message>(
    _ number: UInt32, _ name: String, _: String, _ values: inout [M], atMost cap: Int,
    count limit: Int
  ) throws(WireError) {
    try Self.check(values.count, atMost: limit, of: number, name)
    for value in values { try nested(number, name, value, .atMost(cap)) }
  }
}

extension MessageWriter {
  private static func check(_ count: Int, atMost limit: Int, of number: UInt32, _ name: String)
    throws(WireError)
  {
    guard count <= limit else {
      throw .tooLong(WireField(number, name, "has \(count) elements; it takes at most \(limit)"))
    }
  }

  private static func noRoom(_ number: UInt32) -> WireField {
    WireField(number, "", "does not fit into the message")
  }

  /// Whether a message has no field to write, and so needs no room.
  private static func isEmpty<M: Message & ~Escapable>(_ value: M) -> Bool {
    var noRoom = MessageWriter(MutableSpan())
    do throws(WireError) { try value.write(into: &noRoom) } catch { return false }
    return true
  }

  private mutating func nested<M: Message & ~Escapable>(
    _ number: UInt32, _ name: String, _ value: M, _ size: FieldSize
  ) throws(WireError) {
    let lengthAt = try open(number)
    let outer = lastField
    lastField = 0
    try value.write(into: &self)
    lastField = outer
    try size.check(count - lengthAt - 1, of: number, name)
    try close(lengthAt)
  }

  /// Writes bytes, even none.
  private mutating func element(_ number: UInt32, _ value: Span<UInt8>) throws(WireError) {
    try tag(number, .lengthDelimited)
    try varint(UInt64(value.count))
    guard value.count <= out.count - count else { throw .tooLong(Self.noRoom(number)) }
    for i in value.indices { out[count + i] = value[i] }
    count += value.count
  }

  /// Writes a tag and keeps one byte free for the length after it.
  private mutating func open(_ number: UInt32) throws(WireError) -> Int {
    try tag(number, .lengthDelimited)
    guard count < out.count else { throw .tooLong(Self.noRoom(number)) }
    count += 1
    return count - 1
  }

  /// Inserts the minimal length before a value that was written after one byte kept free for it.
  private mutating func close(_ lengthAt: Int) throws(WireError) {
    let length = count - lengthAt - 1
    let shift = Self.varintCount(UInt64(length)) - 1
    guard shift <= out.count - count else { throw .tooLong(Self.noRoom(lastField)) }
    if shift > 0 {
      for i in stride(from: count - 1, to: lengthAt, by: -1) { out[i + shift] = out[i] }
    }
    let end = count + shift
    count = lengthAt
    putVarint(UInt64(length))
    count = end
  }

  private mutating func tag(_ number: UInt32, _ type: WireType) throws(WireError) {
    // Fails only by our own mistake, which the first test that encodes the message finds. Only a
    // list repeats its number.
    precondition(number >= lastField)
    lastField = number
    try varint(UInt64(number) << 3 | UInt64(type.rawValue))
  }

  private mutating func varint(_ value: UInt64) throws(WireError) {
    // Most tags and lengths are of one byte.
    if value < 0x80, count < out.count {
      out[count] = UInt8(value)
      count += 1
      return
    }
    guard Self.varintCount(value) <= out.count - count else {
      throw .tooLong(Self.noRoom(lastField))
    }
    putVarint(value)
  }

  private mutating func putVarint(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      out[count] = UInt8(truncatingIfNeeded: value) | 0x80
      value >>= 7
      count += 1
    }
    out[count] = UInt8(value)
    count += 1
  }

  private static func varintCount(_ value: UInt64) -> Int {
    max(1, (64 - value.leadingZeroBitCount + 6) / 7)
  }
}
