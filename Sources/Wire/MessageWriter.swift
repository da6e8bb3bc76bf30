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

  /// Writes bytes; omits an empty value unless the field is optional or repeated.
  @_lifetime(self: copy self)
  package mutating func bytes(_ field: Field, _ value: Span<UInt8>) throws(WireError) {
    guard !value.isEmpty || field.presence != .implicit else { return }
    try tag(field, wireType: 2)
    try varint(UInt64(value.count))
    try append(value)
  }

  /// Writes bytes after checking the limit that the reader enforces.
  @_lifetime(self: copy self)
  package mutating func bytes(_ field: Field, _ value: Span<UInt8>, atMost cap: Int) throws(WireError) {
    guard value.count <= cap else { throw .tooLong(field.number) }
    try bytes(field, value)
  }

  /// Writes bytes after checking the length that the reader demands.
  @_lifetime(self: copy self)
  package mutating func bytes(_ field: Field, _ value: Span<UInt8>, exactly count: Int) throws(WireError) {
    guard value.count == count else { throw .badValue(field.number) }
    try bytes(field, value)
  }

  /// Writes `count` bytes, or nothing if `value` is empty.
  @_lifetime(self: copy self)
  package mutating func bytes(_ field: Field, _ value: Span<UInt8>, absentOr count: Int) throws(WireError) {
    guard value.isEmpty || value.count == count else { throw .badValue(field.number) }
    try bytes(field, value)
  }

  @_lifetime(self: copy self)
  package mutating func string(_ field: Field, _ value: String) throws(WireError) { try bytes(field, value.utf8.span) }

  /// Writes each text, even empty ones.
  @_lifetime(self: copy self)
  package mutating func strings(_ field: Field, _ values: [String]) throws(WireError) {
    for value in values { try string(field, value) }
  }

  @_lifetime(self: copy self)
  package mutating func uint(_ field: Field, _ value: UInt64) throws(WireError) {
    guard value != 0 || field.presence == .optional else { return }
    try tag(field, wireType: 0)
    try varint(value)
  }

  @_lifetime(self: copy self)
  package mutating func bool(_ field: Field, _ value: Bool) throws(WireError) { try uint(field, value ? 1 : 0) }

  /// Writes a packed list of strictly ascending small numbers.
  @_lifetime(self: copy self)
  package mutating func ascendingNumbers(_ field: Field, _ numbers: [UInt8]) throws(WireError) {
    guard !numbers.isEmpty else { return }
    try delimited(field) { (writer) throws(WireError) in
      for number in numbers { try writer.varint(UInt64(number)) }
    }
  }

  /// Writes a nested message, whose fields `body` writes.
  @_lifetime(self: copy self)
  package mutating func message(_ field: Field, _ body: (inout MessageWriter) throws(WireError) -> Void) throws(WireError) {
    try delimited(field, body)
  }

  /// Lets `fill` write a value of at most `capacity` bytes in place; `fill` returns how many it wrote.
  @_lifetime(self: copy self)
  package mutating func bytes<E: Error>(
    _ field: Field, capacity: Int, _ fill: (inout MutableSpan<UInt8>) throws(E) -> Int
  ) throws(E) -> Result<Void, WireError> {
    // Room for the tag and the longest length before the value.
    guard capacity + 8 <= out.count - count else { return .failure(.tooLong(field.number)) }
    let start = count
    do throws(WireError) { try tag(field, wireType: 2) } catch { return .failure(error) }
    let lengthAt = count
    var place = out._mutatingExtracting(lengthAt + 1..<lengthAt + 1 + capacity)
    let written = try fill(&place)
    precondition((0...capacity).contains(written))
    guard written > 0 || field.presence != .implicit else {
      count = start
      return .success(())
    }
    count = lengthAt + 1 + written
    do throws(WireError) { try close(lengthAt) } catch { return .failure(error) }
    return .success(())
  }
}

extension MessageWriter {
  @_lifetime(self: copy self)
  private mutating func delimited(_ field: Field, _ body: (inout MessageWriter) throws(WireError) -> Void) throws(WireError) {
    try tag(field, wireType: 2)
    let lengthAt = count
    guard count < out.count else { throw .tooLong(field.number) }
    count += 1
    let outer = lastField
    lastField = 0
    try body(&self)
    lastField = outer
    try close(lengthAt)
  }

  /// Inserts the minimal length before a value that was written after one byte kept free for it.
  @_lifetime(self: copy self)
  private mutating func close(_ lengthAt: Int) throws(WireError) {
    let length = count - lengthAt - 1
    let shift = Self.varintCount(UInt64(length)) - 1
    guard shift <= out.count - count else { throw .tooLong(lastField) }
    if shift > 0 {
      for i in stride(from: count - 1, to: lengthAt, by: -1) { out[i + shift] = out[i] }
    }
    let end = count + shift
    count = lengthAt
    putVarint(UInt64(length))
    count = end
  }

  @_lifetime(self: copy self)
  private mutating func tag(_ field: Field, wireType: UInt64) throws(WireError) {
    // Fails only by our own mistake, which the first test that encodes the message finds.
    precondition(field.number > lastField || (field.number == lastField && field.presence == .repeated))
    lastField = field.number
    try varint(UInt64(field.number) << 3 | wireType)
  }

  @_lifetime(self: copy self)
  private mutating func varint(_ value: UInt64) throws(WireError) {
    guard Self.varintCount(value) <= out.count - count else { throw .tooLong(lastField) }
    putVarint(value)
  }

  @_lifetime(self: copy self)
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

  @_lifetime(self: copy self)
  private mutating func append(_ value: Span<UInt8>) throws(WireError) {
    guard value.count <= out.count - count else { throw .tooLong(lastField) }
    for i in value.indices { out[count + i] = value[i] }
    count += value.count
  }

  private static func varintCount(_ value: UInt64) -> Int { max(1, (64 - value.leadingZeroBitCount + 6) / 7) }
}
