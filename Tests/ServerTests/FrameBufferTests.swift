import Format
import Host
import TestSupport
import Testing

@testable import Server

/// How much of what a caller sends is read, and so served, at once.
@Suite struct FrameBufferTests {
  /// A caller who sends one frame of 100 bytes after the other, as much at a time as is asked for.
  private struct Caller: ~Copyable {
    var buffer: FrameBuffer
    private var sent = 0

    init() throws { buffer = try FrameBuffer() }

    /// Sends at most `count` bytes; gives how many there was room for.
    mutating func send(_ count: Int = .max) throws -> Int {
      var room = 0
      let sent = sent
      self.sent += try buffer.fill { free in
        room = free.count
        for i in 0..<min(room, count) { free[i] = Self.byte(sent + i) }
        return min(room, count)
      }
      return room
    }

    /// Takes every whole frame, each of which must be what was sent.
    mutating func serve() throws -> Int {
      var served = 0
      while case .frame(let header, let range) = buffer.next(cap: { _ in 4096 }) {
        let sent = (4..<100).map(Self.byte)
        #expect(
          try header == RequestHeader(sent.span)
            && buffer.bytes.extracting(range).array
              == Array(sent.dropFirst(RequestHeader.byteCount))
        )
        served += 1
      }
      return served
    }

    private static func byte(_ place: Int) -> UInt8 {
      switch place % 100 {
      case 3: 96
      case 4: RequestHeader.version
      case 0, 1, 2, 5: 0
      case let other: UInt8(other)
      }
    }
  }

  private static let (small, large) = (16 * 1024, 64 * 1024)

  @Test("what was only looked at is served afterwards, also from the middle on") func rewound()
    throws
  {
    try #require(TestArena.ready)
    var caller = try Caller()
    _ = try caller.send(350)
    let start = caller.buffer.mark
    #expect(try caller.serve() == 3)
    caller.buffer.rewind(to: start)
    guard case .frame = caller.buffer.next(cap: { _ in 4096 }) else {
      return #expect(Bool(false), "the first frame is gone")
    }
    let second = caller.buffer.mark
    #expect(try caller.serve() == 2)
    caller.buffer.rewind(to: second)
    #expect(try caller.serve() == 2 && caller.serve() == 0)
    _ = try caller.send(50)
    #expect(try caller.serve() == 1)
  }

  @Test(
    "[WIRE-4] a length that no request has is refused as soon as it is there, any other once the header says for what it is",
    arguments: [
      (0, true), (27, true), (28, false), (131_072, false), (131_073, true), (0x4745_5420, true),
      (0xFFFF_FFFF, true),
    ] as [(UInt32, Bool)])
  func lengths(_ length: UInt32, _ isBroken: Bool) throws {
    try #require(TestArena.ready)
    var buffer = try FrameBuffer()
    _ = try buffer.fill { free in
      for i in 0..<4 { free[i] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * i)) }
      return 4
    }
    #expect(buffer.next(cap: { _ in 4096 }) == (isBroken ? .broken(.frameSize) : .incomplete))
  }

  @Test(
    "who fills the buffer gets a larger one, until a small one would do for a while; nothing is lost in between"
  )
  func growth() throws {
    try #require(TestArena.ready)
    var caller = try Caller()
    #expect(try caller.send() == Self.small)
    #expect(try caller.serve() == 163)
    #expect(try caller.send() == Self.large - 84)
    #expect(try caller.serve() == 655)
    #expect(try caller.send(Self.small) == Self.large - 36)
    #expect(try caller.serve() == 164)
    #expect(try caller.send(80) == Self.large - 20)
    #expect(try caller.serve() == 1)
    for _ in 1...7 {
      #expect(try caller.send(100) == Self.large)
      #expect(try caller.serve() == 1)
    }
    #expect(try caller.send(100) == Self.small)
    #expect(try caller.serve() == 1)
  }

  @Test("what two reads take at first, one takes from then on") func together() throws {
    try #require(TestArena.ready)
    var caller = try Caller()
    #expect(try caller.send(17_900) == Self.small)
    #expect(try caller.serve() == 163)
    #expect(try caller.send(17_900 - Self.small) == Self.large - 84)
    #expect(try caller.serve() == 16)
    for _ in 1...3 {
      #expect(try caller.send(17_900) == Self.large)
      #expect(try caller.serve() == 179)
    }
  }

  @Test("where the arena has no room for a larger one, what there is goes on serving")
  func exhaustion() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 64 << 10, allowMlockFallback: true)
      var caller = try Caller()
      for _ in 1...3 {
        _ = try caller.send()
        #expect(try caller.serve() > 0)
      }
    }
  }
}
