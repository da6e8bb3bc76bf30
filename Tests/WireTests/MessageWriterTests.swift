import Format
import TestSupport
import Testing

@Suite("message writer [WIRE-3]")
struct MessageWriterTests {
  private struct Inner: Message, Hashable {
    var bytes: [UInt8] = []

    mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
      try visitor.bytes(1, "bytes", &bytes, .any)
    }
  }

  private struct Outer: Message, Hashable {
    var inner: [Inner] = []

    mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
      try visitor.messages(3, "inner", "Inner", &inner, atMost: .max, count: 2)
    }
  }

  private struct Sample: Message, Hashable {
    var bytes: [UInt8] = []
    var outer = Outer()
    var text = ""
    var optional: UInt64?
    var number: UInt32 = 0
    var flag = false
    var set: ReleasedFields = []
    var inner: [Inner] = []

    mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
      try visitor.bytes(1, "bytes", &bytes, .any)
      try visitor.message(2, "outer", "Outer", &outer, atMost: .max)
      try visitor.text(3, "text", &text, .any)
      try visitor.uint64(4, "optional", &optional)
      try visitor.uint32(5, "number", &number)
      try visitor.bool(6, "flag", &flag)
      try visitor.set(7, "set", "ReleasedField", &set, atMost: 64)
      try visitor.messages(8, "inner", "Inner", &inner, atMost: 8, count: 2)
    }
  }

  /// Lengths at which the length's own length changes; in a nested message its bytes are moved up
  /// to make room.
  @Test(
    "nested messages of each length",
    arguments: [
      0, 1, 122, 123, 124, 125, 126, 127, 128, 16_376, 16_379, 16_380, 16_381, 16_382, 16_384,
    ])
  func nested(_ count: Int) throws {
    var sample = Sample()
    let inner = Inner(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
    sample.outer.inner = [inner, inner]
    sample.optional = 0
    let message = try written(atMost: 2 * count + 40) { try sample.encode(into: &$0) }
    #expect(try Sample(MessageReader(message.span)) == sample)
  }

  /// Neither a field nor a message around it needs a byte more than it writes.
  @Test(
    "a length-delimited field fills its room exactly",
    arguments: [1, 124, 125, 126, 127, 128, 129, 16_379, 16_380, 16_381, 16_383, 16_384, 16_385])
  func exactRoom(_ count: Int) throws {
    let value = [UInt8](repeating: 0x5A, count: count)
    let length: [UInt8] =
      count < 128
      ? [UInt8(count)]
      : count < 16_384
        ? [UInt8(count & 0x7F | 0x80), UInt8(count >> 7)]
        : [UInt8(count & 0x7F | 0x80), UInt8(count >> 7 & 0x7F | 0x80), UInt8(count >> 14)]
    let expected = [0x0A] + length + value
    #expect(
      try written(atMost: expected.count) { try Inner(bytes: value).encode(into: &$0) } == expected)
    #expect(throws: WireError.tooLong(1)) {
      try written(atMost: expected.count - 1) { try Inner(bytes: value).encode(into: &$0) }
    }

    // The same bytes as a nested message: a tag and a length more around them.
    let outer = Outer(inner: [Inner(bytes: value)])
    let nested = try written(atMost: expected.count + 4) { try outer.encode(into: &$0) }
    #expect(nested.suffix(expected.count) == expected[...])
    #expect(try written(atMost: nested.count) { try outer.encode(into: &$0) } == nested)
    for room in [nested.count - 1, nested.count - 2, 1, 0] {
      #expect(throws: WireError.self) { try written(atMost: room) { try outer.encode(into: &$0) } }
    }
  }

  @Test(
    "a value filled in place is written as any other", arguments: [1, 127, 128, 16_383, 16_384])
  func inPlace(_ count: Int) throws {
    let value = [UInt8](repeating: 0x5A, count: count)
    let filled = try written(atMost: count + 32) { writer in
      try writer.bytes(1, capacity: count + 16) { place in
        for i in 0..<count { place[i] = 0x5A }
        return count
      }.get()
      try writer.present(4, 3)
    }
    var sample = Sample()
    sample.bytes = value
    sample.optional = 3
    #expect(try written(atMost: count + 32) { try sample.encode(into: &$0) } == filled)
  }

  @Test("nothing filled in place is an absent field, too much asked for is refused unfilled")
  func inPlaceEdges() throws {
    #expect(try written(atMost: 32) { try $0.bytes(1, capacity: 8) { _ in 0 }.get() } == [])
    #expect(throws: WireError.tooLong(1)) {
      try written(atMost: 32) { writer in
        try writer.bytes(1, capacity: 25) { _ in
          Issue.record("filled")
          return 0
        }.get()
      }
    }
  }

  @Test("defaults are left out and need no room, present ones are not")
  func defaults() throws {
    #expect(try written(atMost: 0) { try Sample().encode(into: &$0) } == [])
    var sample = Sample()
    sample.optional = 0
    sample.inner = [Inner()]
    #expect(try written(atMost: 16) { try sample.encode(into: &$0) } == [0x20, 0x00, 0x42, 0x00])
  }

  @Test("what the reader would refuse is not written")
  func sizes() {
    func refusals(_ count: Int, _ size: FieldSize) -> Set<WireError?> {
      let value = [UInt8](repeating: 0x61, count: count)
      func refusal(_ write: (inout MessageWriter) throws -> Void) -> WireError? {
        do { _ = try written(atMost: 32, write) } catch { return error as? WireError }
        return nil
      }
      return [
        refusal { writer in
          var copy = value
          try writer.bytes(1, "bytes", &copy, size)
        },
        refusal { writer in
          var span = value.span
          try writer.bytes(1, "bytes", &span, size)
        },
        refusal { writer in
          var text = String(decoding: value, as: UTF8.self)
          try writer.text(1, "text", &text, size)
        },
      ]
    }
    #expect(refusals(5, .atMost(4)) == [.tooLong(1)])
    #expect(refusals(5, .exactly(4)) == [.tooLong(1)])
    #expect(refusals(3, .exactly(4)) == [.badValue(1)])
    #expect(refusals(0, .exactly(4)) == [.badValue(1)])
    #expect(refusals(3, .absentOr(4)) == [.badValue(1)])
    #expect(refusals(0, .oneTo(4)) == [.badValue(1)])
    #expect(refusals(0, .absentOr(4)) == [nil])
    #expect(refusals(4, .absentOr(4)) == [nil])
    var sample = Sample()
    sample.inner = [Inner(), Inner(), Inner()]
    #expect(throws: WireError.tooLong(8)) {
      try written(atMost: 32) { try sample.encode(into: &$0) }
    }
    sample.inner = [Inner(bytes: [1, 2, 3, 4, 5, 6, 7])]
    #expect(throws: WireError.tooLong(8)) {
      try written(atMost: 32) { try sample.encode(into: &$0) }
    }
  }

  /// A token comes from a stranger: what is wrong with it must not cost the service its connection.
  @Test("[WIRE-12] a token that the daemon would call malformed is not sent")
  func hostileToken() throws {
    func encode(
      data: Int = 48, signature: Int = 40, key: Int = 91, wrapped: Int = 0, hash: Int = 32,
      transaction: Int = 32, application: Int = 0
    ) throws {
      let zeros = [UInt8](repeating: 0, count: 70_000)
      var token = PaymentTokenMessage()
      token.data = zeros.span.extracting(first: data)
      token.signature = zeros.span.extracting(first: signature)
      token.ephemeralPublicKey = zeros.span.extracting(first: key)
      token.wrappedKey = zeros.span.extracting(first: wrapped)
      token.publicKeyHash = zeros.span.extracting(first: hash)
      token.transactionID = zeros.span.extracting(first: transaction)
      token.applicationData = zeros.span.extracting(first: application)
      let bytes = try written(atMost: OpenPaymentTokenRequest.Caps.token) {
        try token.encode(into: &$0)
      }
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
    #expect(throws: WireError.tooLong(7)) { try encode(transaction: 33) }
    #expect(throws: WireError.badValue(8)) { try encode(application: 31) }
  }
}
