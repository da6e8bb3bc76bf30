import TestSupport
import Testing
import Wire

/// What the vectors cannot show: the reader's own rules, apart from any message.
@Suite("message reader [WIRE-3]")
struct MessageReaderTests {
  private static let bytes = Field(1, "bytes", .bytes)
  private static let number = Field(2, "number", .uint64)
  private static let list = Field(3, "list", .message("Element"), .repeated)
  private static let optional = Field(4, "optional", .uint64, .optional)
  private static let high = Field(1000, "high", .uint32)

  @Test("an empty message is every field absent")
  func empty() throws {
    let message: [UInt8] = []
    var reader = MessageReader(message.span)
    let count = try reader.bytes(Self.bytes, atMost: 0).count
    let number = try reader.uint64(Self.number)
    if try reader.element(Self.list, atMost: 0) != nil { Issue.record("an element") }
    let optional = try reader.optionalUInt64(Self.optional)
    let high = try reader.uint32(Self.high)
    try reader.end()
    #expect(count == 0 && number == 0 && optional == nil && high == 0)
  }

  @Test(
    "varints of each length",
    arguments: [
      (1, [0x01]), (127, [0x7F]), (128, [0x80, 0x01]), (16_383, [0xFF, 0x7F]), (16_384, [0x80, 0x80, 0x01]),
      (1 << 32, [0x80, 0x80, 0x80, 0x80, 0x10]), (1 << 63, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]),
      (UInt64.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
    ] as [(UInt64, [UInt8])])
  func varints(_ value: UInt64, _ encoded: [UInt8]) throws {
    let message = [0x10] + encoded
    #expect(try Self.readNumber(message) == value)
    // Any padding, and any cut, is refused.
    let padded = [0x10] + encoded.dropLast() + [(encoded.last ?? 0) | 0x80, 0]
    #expect(throws: WireError.varint) { _ = try Self.readNumber(padded) }
    for count in 1..<message.count { #expect(throws: WireError.truncated) { _ = try Self.readNumber(Array(message.prefix(count))) } }
  }

  @Test(
    "varints over 64 bits",
    arguments: [
      [UInt8](repeating: 0xFF, count: 9) + [0x02], [UInt8](repeating: 0xFF, count: 9) + [0x7F], [UInt8](repeating: 0x80, count: 9) + [0x03],
      [UInt8](repeating: 0xFF, count: 10), [UInt8](repeating: 0x80, count: 10) + [0x01], [UInt8](repeating: 0x80, count: 9) + [0x00],
    ])
  func overflow(_ encoded: [UInt8]) {
    #expect(throws: WireError.varint) { _ = try Self.readNumber([0x10] + encoded) }
  }

  @Test("a uint32 takes 32 bits", arguments: [(UInt64(UInt32.max), true), (1 << 32, false), (.max, false)])
  func uint32(_ value: UInt64, _ fits: Bool) throws {
    let message = try written(atMost: 20) { try $0.uint(Self.number, value) }
    func read() throws(WireError) -> UInt32 {
      var reader = MessageReader(message.span)
      return try reader.uint32(Self.number)
    }
    if fits { #expect(try read() == UInt32(value)) } else { #expect(throws: WireError.varint) { try read() } }
  }

  @Test("an optional number may be zero, an ordinary one must then be absent")
  func presence() throws {
    let zero: [UInt8] = [0x20, 0x00]
    var reader = MessageReader(zero.span)
    let value = try reader.optionalUInt64(Self.optional)
    #expect(value == 0)
    #expect(throws: WireError.explicitDefault(4)) {
      var reader = MessageReader(zero.span)
      _ = try reader.uint64(Field(4, "ordinary", .uint64))
    }
  }

  @Test("sizes: at most, exactly, absent or", arguments: 0...5)
  func sizes(_ count: Int) throws {
    let message = try written(atMost: 10) { try $0.bytes(Self.bytes, [UInt8](repeating: 7, count: count).span) }
    func outcome(_ read: (inout MessageReader) throws(WireError) -> Int) -> WireError? {
      var reader = MessageReader(message.span)
      do throws(WireError) {
        let found = try read(&reader)
        #expect(found == count)
        return nil
      } catch { return error }
    }
    #expect(outcome { (reader) throws(WireError) in try reader.bytes(Self.bytes, atMost: 3).count } == (count > 3 ? .tooLong(1) : nil))
    #expect(outcome { (reader) throws(WireError) in try reader.text(Self.bytes, atMost: 3).count } == (count > 3 ? .tooLong(1) : nil))
    #expect(outcome { (reader) throws(WireError) in try reader.string(Self.bytes, atMost: 3).utf8.count } == (count > 3 ? .tooLong(1) : nil))
    #expect(
      outcome { (reader) throws(WireError) in try reader.bytes(Self.bytes, exactly: 3).count }
        == (count > 3 ? .tooLong(1) : count < 3 ? .badValue(1) : nil))
    #expect(
      outcome { (reader) throws(WireError) in try reader.bytes(Self.bytes, absentOr: 3).count }
        == (count > 3 ? .tooLong(1) : count < 3 && count > 0 ? .badValue(1) : nil))
  }

  @Test("a length is held against what is there before the cap, so nobody is told that more would fit")
  func lengthOrder() {
    let message: [UInt8] = [0x0A, 0x05, 1, 2]
    #expect(throws: WireError.truncated) {
      var reader = MessageReader(message.span)
      _ = try reader.bytes(Self.bytes, atMost: 3)
    }
  }

  @Test("elements of a list are read one by one; an empty one is an element")
  func elements() throws {
    let message: [UInt8] = [0x1A, 0x00, 0x1A, 0x01, 0x05, 0x1A, 0x00, 0x20, 0x01]
    var reader = MessageReader(message.span)
    var counts: [Int] = []
    while let element = try reader.element(Self.list, atMost: 1) { counts.append(element.count) }
    let behind = try reader.optionalUInt64(Self.optional)
    try reader.end()
    #expect(counts == [0, 1, 0])
    #expect(behind == 1)
  }

  @Test(
    "a list of numbers ascends",
    arguments: [([1], true), ([1, 2, 255], true), ([0], false), ([2, 1], false), ([1, 1], false), ([1, 2, 2], false)] as [([UInt8], Bool)])
  func ascending(_ numbers: [UInt8], _ accepted: Bool) throws {
    let list = Field(3, "list", .enumeration("Number"), .repeated)
    let message = try written(atMost: 16) { try $0.ascendingNumbers(list, numbers) }
    func read() throws(WireError) -> [UInt8] {
      var reader = MessageReader(message.span)
      let numbers = try reader.ascendingNumbers(list, atMost: 8)
      try reader.end()
      return numbers
    }
    if accepted { #expect(try read() == numbers) } else { #expect(throws: WireError.badValue(3)) { try read() } }
  }

  @Test("field numbers above 15 take two bytes of tag")
  func highField() throws {
    let message = try written(atMost: 8) { try $0.uint(Self.high, 5) }
    #expect(message == [0xC0, 0x3E, 0x05])
    var reader = MessageReader(message.span)
    let absent = try reader.uint64(Self.number)
    let present = try reader.uint32(Self.high)
    try reader.end()
    #expect(absent == 0 && present == 5)
  }

  @Test(
    "the end is the end",
    arguments: [
      ([0x00], .unexpectedField(0)), ([0x08], .unexpectedField(1)), ([0x28, 0x01], .unexpectedField(5)), ([0x80], .trailingBytes),
      ([0x88, 0x00], .trailingBytes),
      ([0xFF, 0xFF, 0xFF, 0xFF, 0x0F], .unexpectedField(536_870_911)), ([0xFF, 0xFF, 0xFF, 0xFF, 0x1F], .trailingBytes),
    ] as [([UInt8], WireError)])
  func end(_ rest: [UInt8], _ expected: WireError) {
    let error = #expect(throws: WireError.self) { try MessageReader(rest.span).end() }
    #expect(error == expected)
  }

  private static func readNumber(_ message: [UInt8]) throws(WireError) -> UInt64 {
    var reader = MessageReader(message.span)
    let value = try reader.uint64(number)
    try reader.end()
    return value
  }
}
