import Format
import TestSupport
import Testing

/// What the vectors cannot show: the reader's own rules, apart from any message.
@Suite("message reader [WIRE-3]")
struct MessageReaderTests {
  private struct Element: Message, Hashable {
    var number: UInt64 = 0

    mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
      try visitor.uint64(1, "number", &number)
    }
  }

  /// A field of each wire type, and of each presence.
  private struct Sample: Message, Hashable {
    var bytes: [UInt8] = []
    var number: UInt64 = 0
    var list: [Element] = []
    var optional: UInt64?
    var high: UInt32 = 0

    mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
      try visitor.bytes(1, "bytes", &bytes, .atMost(3))
      try visitor.uint64(2, "number", &number)
      try visitor.messages(3, "list", "Element", &list, atMost: 2, count: 3)
      try visitor.uint64(4, "optional", &optional)
      try visitor.uint32(1000, "high", &high)
    }
  }

  private static func read(_ message: [UInt8]) throws(WireError) -> Sample {
    try Sample(MessageReader(message.span))
  }

  @Test("an empty message is every field absent")
  func empty() throws { #expect(try Self.read([]) == Sample()) }

  @Test(
    "varints of each length",
    arguments: [
      (1, [0x01]), (127, [0x7F]), (128, [0x80, 0x01]), (16_383, [0xFF, 0x7F]),
      (16_384, [0x80, 0x80, 0x01]),
      (1 << 32, [0x80, 0x80, 0x80, 0x80, 0x10]),
      (1 << 63, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]),
      (UInt64.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
    ] as [(UInt64, [UInt8])])
  func varints(_ value: UInt64, _ encoded: [UInt8]) throws {
    let message = [0x10] + encoded
    #expect(try Self.read(message).number == value)
    // Any padding, and any cut, is refused.
    let padded = [0x10] + encoded.dropLast() + [(encoded.last ?? 0) | 0x80, 0]
    #expect(throws: WireError.varint) { _ = try Self.read(padded) }
    for count in 1..<message.count {
      #expect(throws: WireError.truncated) { _ = try Self.read(Array(message.prefix(count))) }
    }
  }

  @Test(
    "varints over 64 bits",
    arguments: [
      [UInt8](repeating: 0xFF, count: 9) + [0x02], [UInt8](repeating: 0xFF, count: 9) + [0x7F],
      [UInt8](repeating: 0x80, count: 9) + [0x03],
      [UInt8](repeating: 0xFF, count: 10), [UInt8](repeating: 0x80, count: 10) + [0x01],
      [UInt8](repeating: 0x80, count: 9) + [0x00],
    ])
  func overflow(_ encoded: [UInt8]) {
    #expect(throws: WireError.varint) { _ = try Self.read([0x10] + encoded) }
  }

  @Test(
    "a uint32 takes 32 bits",
    arguments: [(UInt64(UInt32.max), true), (1 << 32, false), (.max, false)])
  func uint32(_ value: UInt64, _ fits: Bool) throws {
    let message = try written(atMost: 20) { try $0.present(1000, value) }
    if fits {
      #expect(try Self.read(message).high == UInt32(value))
    } else {
      #expect(throws: WireError.varint) { try Self.read(message) }
    }
  }

  @Test("an optional number may be zero, an ordinary one must then be absent")
  func presence() throws {
    #expect(try Self.read([0x20, 0x00]).optional == 0)
    #expect(throws: WireError.explicitDefault(2)) { try Self.read([0x10, 0x00]) }
  }

  /// The ways to read a field of bytes.
  private enum Form: CaseIterable {
    case bytes, copiedBytes, text, copiedText

    func count(_ message: [UInt8], _ size: FieldSize) throws(WireError) -> Int {
      var reader = MessageReader(message.span)
      var span = Span<UInt8>()
      var bytes = [UInt8]()
      var text = ""
      switch self {
      case .bytes: try reader.bytes(1, "bytes", &span, size)
      case .copiedBytes: try reader.bytes(1, "bytes", &bytes, size)
      case .text: try reader.text(1, "text", &span, size)
      case .copiedText: try reader.text(1, "text", &text, size)
      }
      return span.count + bytes.count + text.utf8.count
    }
  }

  @Test(
    "sizes: at most, exactly, absent or, at least one; bytes and text alike, in place and copied",
    arguments: 0...5)
  func sizes(_ count: Int) throws {
    let message = try written(atMost: 10) {
      try $0.bytes(1, [UInt8](repeating: 7, count: count).span)
    }
    for form in Form.allCases {
      func outcome(_ size: FieldSize) -> WireError? {
        do throws(WireError) {
          let found = try form.count(message, size)
          #expect(found == count)
          return nil
        } catch { return error }
      }
      #expect(outcome(.atMost(3)) == (count > 3 ? .tooLong(1) : nil))
      #expect(outcome(.exactly(3)) == (count > 3 ? .tooLong(1) : count < 3 ? .badValue(1) : nil))
      #expect(
        outcome(.absentOr(3))
          == (count > 3 ? .tooLong(1) : count < 3 && count > 0 ? .badValue(1) : nil))
      #expect(outcome(.oneTo(3)) == (count > 3 ? .tooLong(1) : count == 0 ? .badValue(1) : nil))
      #expect(outcome(.any) == nil)
    }
  }

  @Test(
    "a length is held against what is there before the cap, so nobody is told that more would fit")
  func lengthOrder() {
    #expect(throws: WireError.truncated) { try Self.read([0x0A, 0x05, 1, 2]) }
  }

  @Test(
    "elements of a list are read one by one; an empty one is an element, and there is a most of them and of their bytes"
  )
  func elements() throws {
    let message = try Self.read([0x1A, 0x00, 0x1A, 0x02, 0x08, 0x05, 0x1A, 0x00, 0x20, 0x01])
    #expect(message.list == [Element(), Element(number: 5), Element()])
    #expect(message.optional == 1)
    #expect(throws: WireError.tooLong(3)) {
      try Self.read([0x1A, 0x00, 0x1A, 0x00, 0x1A, 0x00, 0x1A, 0x00])
    }
    #expect(throws: WireError.tooLong(3)) { try Self.read([0x1A, 0x03, 0x08, 0x80, 0x01]) }
  }

  @Test(
    "a list of numbers ascends, and each is known",
    arguments: [
      ([1], nil), ([1, 2, 20], nil), ([0], 3), ([2, 1], 3), ([1, 1], 3), ([1, 2, 2], 3), ([18], 3),
      ([1, 22], 3), ([255], 3),
    ] as [([UInt8], UInt32?)])
  func ascending(_ numbers: [UInt8], _ fault: UInt32?) throws {
    let message = try written(atMost: 16) { writer in
      let packed = numbers.flatMap { $0 < 0x80 ? [$0] : [$0, 0x01] }
      try writer.bytes(3, packed.span)
    }
    func read() throws(WireError) -> [UInt8] {
      var reader = MessageReader(message.span)
      var set: ReleasedFields = []
      try reader.set(3, "list", "ReleasedField", &set, atMost: 8)
      try reader.end()
      return set.fields.map(\.rawValue)
    }
    if let fault {
      #expect(throws: WireError.badValue(WireField(integerLiteral: fault))) { try read() }
    } else {
      #expect(try read() == numbers)
    }
  }

  @Test("field numbers above 15 take two bytes of tag")
  func highField() throws {
    let message = try written(atMost: 8) { writer in
      var sample = Sample()
      sample.high = 5
      try sample.encode(into: &writer)
    }
    #expect(message == [0xC0, 0x3E, 0x05])
    #expect(try Self.read(message).high == 5)
  }

  @Test(
    "the end is the end",
    arguments: [
      ([0x00], .unexpectedField(0)), ([0x08], .unexpectedField(1)),
      ([0x28, 0x01], .unexpectedField(5)), ([0x80], .trailingBytes),
      ([0x88, 0x00], .trailingBytes),
      ([0xFF, 0xFF, 0xFF, 0xFF, 0x0F], .unexpectedField(536_870_911)),
      ([0xFF, 0xFF, 0xFF, 0xFF, 0x1F], .trailingBytes),
    ] as [([UInt8], WireError)])
  func end(_ rest: [UInt8], _ expected: WireError) {
    let error = #expect(throws: WireError.self) { try MessageReader(rest.span).end() }
    #expect(error == expected)
  }
}
