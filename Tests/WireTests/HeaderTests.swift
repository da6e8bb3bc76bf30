import Format
import TestSupport
import Testing

@Suite("headers")
struct HeaderTests {
  // Without their lengths.
  private let request: [UInt8] = [
    0x01, 0x00, 0x00, 0x05, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
    0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F,
  ]
  private let reply: [UInt8] = [
    0x01, 0x04, 0x00, 0x11, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
    0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
  ]

  @Test("[WIRE-1] a request's header is 28 big-endian bytes")
  func decodesRequest() throws {
    let header = try requestHeader(request)
    #expect(
      header
        == RequestHeader(
          opcode: 5, requestID: 0x0102_0304_0506_0708,
          key: KeyID(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E1F)))
    var frame = [UInt8](repeating: 0xAA, count: 40)
    var span = frame.mutableSpan
    header.encode(bodyCount: 5, into: &span)
    #expect(frame == [0, 0, 0, 33] + request + [UInt8](repeating: 0xAA, count: 8))
  }

  @Test("[WIRE-2] a reply's header is 20 big-endian bytes")
  func decodesReply() throws {
    let header = try replyHeader(reply)
    #expect(
      header
        == ReplyHeader(
          status: .rejected, opcode: 0x11, requestID: 0x0102_0304_0506_0708,
          auditSequence: 0x2122_2324_2526_2728))
    var frame = [UInt8](repeating: 0xAA, count: 30)
    var span = frame.mutableSpan
    header.encode(bodyCount: 0x0102, into: &span)
    #expect(frame == [0, 0, 1, 0x16] + reply + [UInt8](repeating: 0xAA, count: 6))
  }

  @Test("[WIRE-1] [WIRE-2] a header needs all its bytes, whatever the body holds")
  func shortHeaders() {
    for count in request.indices {
      #expect(throws: WireError.truncated) { try requestHeader(Array(request.prefix(count))) }
    }
    for count in reply.indices {
      #expect(throws: WireError.truncated) { try replyHeader(Array(reply.prefix(count))) }
    }
  }

  @Test("[WIRE-5] any other version is refused", arguments: (0...255).filter { $0 != 1 })
  func versions(_ version: Int) {
    #expect(throws: WireError.version) { try requestHeader([UInt8(version)] + request.dropFirst()) }
    #expect(throws: WireError.version) { try replyHeader([UInt8(version)] + reply.dropFirst()) }
  }

  @Test("[WIRE-24] the lowest flag asks for the wait in a busy reply")
  func waitFlag() throws {
    let header = try requestHeader([1, 1] + request.dropFirst(2))
    #expect(try header.asksWait && !requestHeader(request).asksWait)
    var frame = [UInt8](repeating: 0, count: 32)
    var span = frame.mutableSpan
    header.encode(bodyCount: 0, into: &span)
    #expect(Array(frame.dropFirst(4)) == [1, 1] + request.dropFirst(2))
  }

  @Test("[WIRE-6] any other flag is refused", arguments: 2...255)
  func flags(_ flags: Int) {
    #expect(throws: WireError.reservedBits) {
      try requestHeader([1, UInt8(flags)] + request.dropFirst(2))
    }
  }

  @Test("the version is judged before the flags")
  func order() {
    #expect(throws: WireError.version) { try requestHeader([2, 2] + request.dropFirst(2)) }
  }

  @Test("[WIRE-2] each status has its number, and no other number is one")
  func statuses() throws {
    for number in UInt8.min...UInt8.max {
      let bytes = [1, number] + reply.dropFirst(2)
      guard number <= 9 else {
        #expect(throws: WireError.badValue(0)) { try replyHeader(bytes) }
        continue
      }
      #expect(try replyHeader(bytes).status.rawValue == number)
    }
  }

  @Test("[WIRE-1] a header takes any opcode: whether it is known is for the operations to say")
  func opcodes() throws {
    for opcode in [UInt16.min, 0x0012, 0x0104, .max] {
      let bytes = [1, 0, UInt8(opcode >> 8), UInt8(opcode & 0xFF)] + request.dropFirst(4)
      #expect(try requestHeader(bytes).opcode == opcode)
    }
  }

  @Test("[WIRE-4] a length counts the header and body, and nothing outside its range is a length")
  func lengths() throws {
    func decode(_ length: UInt32, in range: ClosedRange<Int>) throws(WireError) -> Int {
      var bytes = [UInt8](repeating: 0xAA, count: 6)
      var span = bytes.mutableSpan
      span.store(length, at: 0)
      return try FrameLength.decode(bytes.span, in: range)
    }
    for length in [28, 29, 255, 256, 65_535, 65_536, 131_072] as [UInt32] {
      #expect(try decode(length, in: FrameLength.request) == Int(length))
    }
    for length in [20, 21, 131_073, 1_048_576] as [UInt32] {
      #expect(try decode(length, in: FrameLength.reply) == Int(length))
    }
    for length in [0, 1, 27, 131_073, 0x7FFF_FFFF, 0x8000_0000, 0x8000_001C, .max] as [UInt32] {
      #expect(throws: WireError.frameSize) { try decode(length, in: FrameLength.request) }
    }
    for length in [0, 19, 1_048_577, 0x8000_0014, .max] as [UInt32] {
      #expect(throws: WireError.frameSize) { try decode(length, in: FrameLength.reply) }
    }
    for count in 0..<4 {
      let bytes = [UInt8](repeating: 0, count: count)
      #expect(throws: WireError.truncated) {
        try FrameLength.decode(bytes.span, in: FrameLength.request)
      }
    }
  }

  @Test("[WIRE-4] every message that the decoders take fits in a frame")
  func capsFit() {
    #expect(
      FrameLength.request.upperBound >= RequestHeader.byteCount + OpenPaymentTokenRequest.Caps.token
        + 256)
  }

  @Test("a key id is sixteen big-endian bytes")
  func keyID() {
    let bytes = [UInt8](0..<20)
    func id(_ count: Int) -> KeyID? { KeyID(prefixOf: bytes.span.extracting(first: count)) }
    for count in 16...20 {
      #expect(id(count) == KeyID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F))
    }
    for count in 0..<16 { #expect(id(count) == nil) }
    #expect(id(16)?.bytes == Array(0..<16))
    #expect(KeyID.none.bytes == [UInt8](repeating: 0, count: 16))
  }

  @Test("big-endian integers of each width come back, and only their bytes are touched")
  func bigEndian() {
    func check<T: FixedWidthInteger>(_ value: T) {
      var bytes = [UInt8](repeating: 0xAA, count: 12)
      var span = bytes.mutableSpan
      span.store(value, at: 2)
      let back = T(bigEndian: bytes.span, at: 2)
      #expect(back == value)
      let width = T.bitWidth / 8
      #expect(
        bytes[..<2] + bytes[(2 + width)...] == [UInt8](repeating: 0xAA, count: 12 - width)[...])
    }
    check(UInt8(0x81))
    check(UInt16(0x8001))
    check(UInt32(0x8000_0001))
    check(UInt64(0x8000_0000_0000_0001))
    check(UInt64.max)
  }

  private func requestHeader(_ bytes: [UInt8]) throws(WireError) -> RequestHeader {
    try RequestHeader(bytes.span)
  }
  private func replyHeader(_ bytes: [UInt8]) throws(WireError) -> ReplyHeader {
    try ReplyHeader(bytes.span)
  }
}
