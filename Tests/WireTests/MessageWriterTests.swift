import Encoding
import TestSupport
import Testing
import Wire

@Suite("message writer [WIRE-3]")
struct MessageWriterTests {
  private static let bytes = Field(1, "bytes", .bytes)
  private static let outer = Field(2, "outer", .message("Outer"))
  private static let inner = Field(3, "inner", .message("Inner"), .repeated)
  private static let optional = Field(4, "optional", .uint64, .optional)

  /// Lengths at which the length's own length changes; in a nested message its bytes are moved up to make room.
  @Test("nested messages of each length", arguments: [0, 1, 122, 123, 124, 125, 126, 127, 128, 16_376, 16_379, 16_380, 16_381, 16_382, 16_384])
  func nested(_ count: Int) throws {
    let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let message = try written(atMost: 2 * count + 40) { writer in
      try writer.message(Self.outer) { (outer) throws(WireError) in
        try outer.message(Self.inner) { (inner) throws(WireError) in try inner.bytes(Self.bytes, value.span) }
        try outer.message(Self.inner) { (inner) throws(WireError) in try inner.bytes(Self.bytes, value.span) }
      }
      try writer.uint(Self.optional, 0)
    }
    var reader = MessageReader(message.span)
    var outer = MessageReader(try reader.bytes(Self.outer, atMost: .max))
    for _ in 0..<2 {
      guard let element = try outer.element(Self.inner, atMost: .max) else { throw WireError.truncated }
      var inner = MessageReader(element)
      let found = try inner.bytes(Self.bytes, atMost: .max).array
      try inner.end()
      #expect(found == value)
    }
    try outer.end()
    let behind = try reader.optionalUInt64(Self.optional)
    try reader.end()
    #expect(behind == 0)
  }

  /// Neither a field nor a message around it needs a byte more than it writes.
  @Test("a length-delimited field fills its room exactly", arguments: [1, 124, 125, 126, 127, 128, 129, 16_379, 16_380, 16_381, 16_383, 16_384, 16_385])
  func exactRoom(_ count: Int) throws {
    let value = [UInt8](repeating: 0x5A, count: count)
    let length: [UInt8] =
      count < 128
      ? [UInt8(count)]
      : count < 16_384 ? [UInt8(count & 0x7F | 0x80), UInt8(count >> 7)] : [UInt8(count & 0x7F | 0x80), UInt8(count >> 7 & 0x7F | 0x80), UInt8(count >> 14)]
    let expected = [0x0A] + length + value
    #expect(try written(atMost: expected.count) { try $0.bytes(Self.bytes, value.span) } == expected)
    #expect(throws: WireError.tooLong(1)) { try written(atMost: expected.count - 1) { try $0.bytes(Self.bytes, value.span) } }

    // The same bytes as a nested message: a tag and a length more around them.
    let nested = try written(atMost: expected.count + 4) {
      try $0.message(Self.outer) { (writer) throws(WireError) in try writer.bytes(Self.bytes, value.span) }
    }
    #expect(nested.suffix(expected.count) == expected[...])
    #expect(
      try written(atMost: nested.count) { try $0.message(Self.outer) { (writer) throws(WireError) in try writer.bytes(Self.bytes, value.span) } } == nested)
    for room in [nested.count - 1, nested.count - 2, 1, 0] {
      #expect(throws: WireError.self) {
        try written(atMost: room) { try $0.message(Self.outer) { (writer) throws(WireError) in try writer.bytes(Self.bytes, value.span) } }
      }
    }
  }

  @Test("a value filled in place is written as any other", arguments: [1, 127, 128, 16_383, 16_384])
  func inPlace(_ count: Int) throws {
    let value = [UInt8](repeating: 0x5A, count: count)
    let filled = try written(atMost: count + 32) { writer in
      try writer.bytes(Self.bytes, capacity: count + 16) { place in
        for i in 0..<count { place[i] = 0x5A }
        return count
      }.get()
      try writer.uint(Self.optional, 3)
    }
    let expected = try written(atMost: count + 32) { writer in
      try writer.bytes(Self.bytes, value.span)
      try writer.uint(Self.optional, 3)
    }
    #expect(filled == expected)
  }

  @Test("nothing filled in place is an absent field, too much asked for is refused unfilled")
  func inPlaceEdges() throws {
    #expect(try written(atMost: 32) { try $0.bytes(Self.bytes, capacity: 8) { _ in 0 }.get() } == [])
    #expect(throws: WireError.tooLong(1)) {
      try written(atMost: 32) { writer in
        try writer.bytes(Self.bytes, capacity: 25) { _ in
          Issue.record("filled")
          return 0
        }.get()
      }
    }
  }

  @Test("defaults are left out, present ones are not")
  func defaults() throws {
    let message = try written(atMost: 16) { writer in
      let none: [UInt8] = []
      try writer.bytes(Self.bytes, none.span)
      try writer.string(Field(2, "text", .string), "")
      try writer.uint(Field(3, "number", .uint64), 0)
      try writer.uint(Self.optional, 0)
      try writer.bool(Field(5, "flag", .bool), false)
      try writer.ascendingNumbers(Field(6, "list", .enumeration("Number"), .repeated), [])
      try writer.message(Field(7, "message", .message("Empty"), .repeated)) { (_) throws(WireError) in }
    }
    #expect(message == [0x20, 0x00, 0x3A, 0x00])
  }

  @Test("what the reader would refuse is not written")
  func sizes() {
    let five = [UInt8](repeating: 1, count: 5)
    let none: [UInt8] = []
    #expect(throws: WireError.tooLong(1)) { try written(atMost: 32) { try $0.bytes(Self.bytes, five.span, atMost: 4) } }
    #expect(throws: WireError.badValue(1)) { try written(atMost: 32) { try $0.bytes(Self.bytes, five.span, exactly: 4) } }
    #expect(throws: WireError.badValue(1)) { try written(atMost: 32) { try $0.bytes(Self.bytes, none.span, exactly: 4) } }
    #expect(throws: WireError.badValue(1)) { try written(atMost: 32) { try $0.bytes(Self.bytes, five.span, absentOr: 4) } }
    #expect(throws: Never.self) { try written(atMost: 32) { try $0.bytes(Self.bytes, none.span, absentOr: 4) } }
  }

  /// A token comes from a stranger: what is wrong with it must not cost the service its connection.
  @Test("[WIRE-12] a token that the daemon would call malformed is not sent")
  func hostileToken() throws {
    func encode(data: Int = 48, signature: Int = 40, key: Int = 91, wrapped: Int = 0, hash: Int = 32, transaction: Int = 32, application: Int = 0) throws {
      let zeros = [UInt8](repeating: 0, count: 70_000)
      let token = PaymentTokenMessage(
        version: .ecV1, data: zeros.span.extracting(first: data), signature: zeros.span.extracting(first: signature),
        ephemeralPublicKey: zeros.span.extracting(first: key), wrappedKey: zeros.span.extracting(first: wrapped),
        publicKeyHash: zeros.span.extracting(first: hash), transactionID: zeros.span.extracting(first: transaction),
        applicationData: zeros.span.extracting(first: application))
      let bytes = try written(atMost: PaymentTokenMessage.Caps.message) { try token.encode(into: &$0) }
      #expect(throws: Never.self) { _ = try PaymentTokenMessage(MessageReader(bytes.span)) }
    }
    try encode()
    try encode(data: 65_536, signature: 16_384, key: 1024, wrapped: 1024, application: 32)
    #expect(throws: WireError.tooLong(2)) { try encode(data: 65_537) }
    #expect(throws: WireError.tooLong(3)) { try encode(signature: 16_385) }
    #expect(throws: WireError.tooLong(4)) { try encode(key: 1025) }
    #expect(throws: WireError.tooLong(5)) { try encode(wrapped: 1025) }
    #expect(throws: WireError.badValue(6)) { try encode(hash: 31) }
    #expect(throws: WireError.badValue(6)) { try encode(hash: 0) }
    #expect(throws: WireError.badValue(7)) { try encode(transaction: 33) }
    #expect(throws: WireError.badValue(8)) { try encode(application: 31) }
  }
}
