import Format
import Testing

@Suite("frames of claims.sock")
struct ClaimFrameTests {
  private static let digest = [UInt8](0x20..<0x40)
  private static let retry = [UInt8](0x60..<0x80)
  private static let host = Array("shop-1".utf8)

  /// Without their lengths.
  private static let helloHead: [UInt8] = [1, 2, 0, 0, 0, 0, 0, 1, 2, 3]
  private static let hello = helloHead + host
  /// Before the count of an ask.
  private static let askHead = [2, 1, 2, 3, 4, 5, 6, 7, 8] + [UInt8](0x80..<0xA0)
  private static let ask: [UInt8] = askHead + [0, 1] + digest + retry + [0, 0, 0x4F, 0x1A]
  private static let answer: [UInt8] =
    [3, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 0, 0, 0, 0, 0, 0, 1, 2] + retry + [6] + host
  private static let away: [UInt8] = [4, 1, 2, 3, 4, 5, 6, 7, 8]
  private static let id: UInt64 = 0x0102_0304_0506_0708

  @Test("hello, ask, answer, away and state are the bytes of the specification")
  func golden() throws {
    let host = try #require(HostName("shop-1"))
    let digest = try claimDigest(Self.digest)
    let retry = try claimDigest(Self.retry)
    let ask = try #require(
      ClaimAsk(
        id: Self.id, key: try claimDigest(Array(0x80..<0xA0)),
        claims: [Claim(digest: digest, retryDigest: retry, day: 0x4F1A)]))
    let answer = try #require(
      ClaimAnswer(
        id: Self.id,
        holdings: [ClaimHolding(.anotherHost, ageMilliseconds: 258, retryDigest: retry, host: host)]
      ))
    try expect(DaemonFrame.hello(Claimant(host: host, run: 0x010203)), Self.hello)
    try expect(DaemonFrame.ask(ask), Self.ask)
    try expect(StoreFrame.answer(answer), Self.answer)
    try expect(StoreFrame.away(id: Self.id), Self.away)
    try expect(StoreFrame.state(isThere: true), [5, 1])
    try expect(StoreFrame.state(isThere: false), [5, 0])
  }

  private func expect<Frame: ClaimFrame>(_ frame: Frame, _ bytes: [UInt8]) throws {
    #expect(frame.encoded == UInt32(bytes.count).bigEndianBytes + bytes)
    let decoded: Frame = try decode(bytes)
    #expect(decoded == frame)
  }

  @Test("a frame that is cut anywhere is refused", arguments: [ask, answer, away, [5, 1]])
  func cut(_ bytes: [UInt8]) {
    for count in bytes.indices { expectRefused(Array(bytes.prefix(count)), [.truncated]) }
    // A name may end anywhere but at its beginning.
    #expect(throws: ClaimWireError.hostName) { try decode(Self.helloHead) as DaemonFrame }
    #expect(throws: ClaimWireError.truncated) { try decode([1]) as DaemonFrame }
  }

  @Test("a frame with a byte too many is refused", arguments: [ask, answer, away, [5, 1]])
  func leftover(_ bytes: [UInt8]) { expectRefused(bytes + [0], [.trailingBytes]) }

  @Test(
    "neither side takes the other's frames, nor kinds that there are not",
    arguments: UInt8.min...UInt8.max)
  func kinds(_ kind: UInt8) {
    let body = [UInt8](repeating: 0, count: 8)
    if ![1, 2].contains(kind) {
      #expect(throws: ClaimWireError.kind) { try decode([kind] + body) as DaemonFrame }
    }
    if ![3, 4, 5].contains(kind) {
      #expect(throws: ClaimWireError.kind) { try decode([kind] + body) as StoreFrame }
    }
  }

  @Test("another version, holder or state is refused", arguments: UInt8.min...UInt8.max)
  func numbers(_ number: UInt8) throws {
    if number != 2 {
      #expect(throws: ClaimWireError.version) {
        try decode([1, number] + Self.host) as DaemonFrame
      }
    }
    if number > 1 {
      #expect(throws: ClaimWireError.state) { try decode([5, number]) as StoreFrame }
    }
    var answer = Self.answer
    answer[11] = number
    guard number == 1 || number == 2 else {
      #expect(throws: ClaimWireError.holder) { try decode(answer) as StoreFrame }
      return
    }
    let decoded: StoreFrame = try decode(answer)
    #expect(decoded.encoded.dropFirst(4) == answer[...])
  }

  @Test("a host name is 1 to 32 of a-z, 0-9 and -", arguments: UInt8.min...UInt8.max)
  func hostNames(_ byte: UInt8) throws {
    let isAllowed = Array("abcdefghijklmnopqrstuvwxyz0123456789-".utf8).contains(byte)
    let name = [byte, UInt8(ascii: "a")]
    let host = HostName(name.span)
    #expect((host?.text.utf8.first == byte) == isAllowed)
    if byte < 0x80 {
      #expect((HostName(String(decoding: name, as: UTF8.self)) != nil) == isAllowed)
    }
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: Int(byte))
    let longHost = HostName(long.span)
    #expect((longHost != nil) == (1...32).contains(byte))
    #expect((HostName(String(decoding: long, as: UTF8.self)) != nil) == (1...32).contains(byte))
    guard !isAllowed else { return }
    #expect(throws: ClaimWireError.hostName) { try decode(Self.helloHead + name) as DaemonFrame }
    #expect(throws: ClaimWireError.hostName) {
      try decode(Self.answer.dropLast() + [byte]) as StoreFrame
    }
  }

  @Test("an ask has 1 to 512 claims, and an answer as many holdings")
  func counts() throws {
    for count in [0, 513, 0xFFFF] as [UInt16] {
      #expect(throws: ClaimWireError.count) {
        try decode(Self.askHead + count.bigEndianBytes) as DaemonFrame
      }
      #expect(throws: ClaimWireError.count) {
        try decode([3] + Self.id.bigEndianBytes + count.bigEndianBytes) as StoreFrame
      }
    }
    let claims = try claims(513)
    let holdings = try holdings(513)
    #expect(
      ClaimAsk(id: 1, key: .zero, claims: []) == nil
        && ClaimAsk(id: 1, key: .zero, claims: claims) == nil)
    #expect(
      ClaimAnswer(id: 1, holdings: []) == nil && ClaimAnswer(id: 1, holdings: holdings) == nil)
    let ask = try #require(ClaimAsk(id: 1, key: .zero, claims: Array(claims.dropLast())))
    let answer = try #require(ClaimAnswer(id: 1, holdings: holdings.dropLast()))
    for bytes in [DaemonFrame.ask(ask).encoded, StoreFrame.answer(answer).encoded] {
      #expect(ClaimFrameSize.range.contains(bytes.count - ClaimFrameSize.lengthByteCount))
    }
    try expect(DaemonFrame.ask(ask), Array(DaemonFrame.ask(ask).encoded.dropFirst(4)))
    try expect(StoreFrame.answer(answer), Array(StoreFrame.answer(answer).encoded.dropFirst(4)))
  }

  @Test("a count that the frame is too short for is refused before anything is read")
  func countsThatLie() {
    #expect(throws: ClaimWireError.truncated) {
      try decode(Self.askHead + [2, 0] + [UInt8](repeating: 0, count: 68)) as DaemonFrame
    }
    #expect(throws: ClaimWireError.truncated) {
      try decode([3] + Self.id.bigEndianBytes + [2, 0] + [UInt8](repeating: 1, count: 74))
        as StoreFrame
    }
  }

  @Test("[FLEET-SOCK-1] an ask with a claim twice is refused, whatever else differs")
  func repeated() throws {
    let claims = try claims(3)
    let again = Claim(digest: claims[0].digest, retryDigest: .zero, day: claims[0].day + 1)
    #expect(ClaimAsk(id: 1, key: .zero, claims: claims + [again]) == nil)
    let one = Self.ask.dropFirst(Self.askHead.count + 2)
    #expect(throws: ClaimWireError.repeatedClaim) {
      try decode(Self.askHead + [0, 2] + one + one) as DaemonFrame
    }
  }

  @Test("digests are ordered as their bytes")
  func order() throws {
    let digests = try claims(300).map { $0.digest }
    #expect(
      digests.sorted().map { $0.bytes }
        == digests.map { $0.bytes }.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(ClaimDigest.zero.bytes == [UInt8](repeating: 0, count: 32))
    for count in [0, 31, 33] {
      let bytes = [UInt8](repeating: 0, count: count)
      let digest = ClaimDigest(bytes.span)
      #expect(digest == nil)
    }
  }

  private func claims(_ count: Int) throws -> [Claim] {
    try (0..<count).map { number in
      // Differs at both ends of the digest.
      let bytes =
        [UInt8(truncatingIfNeeded: number &* 167)] + [UInt8](repeating: 7, count: 27)
        + UInt32(number).bigEndianBytes
      return Claim(digest: try claimDigest(bytes), retryDigest: .zero, day: 20_000)
    }
  }

  private func holdings(_ count: Int) throws -> [ClaimHolding] {
    let host = try #require(HostName(String(repeating: "h", count: 32)))
    return (0..<count).map {
      ClaimHolding(.thisHost, ageMilliseconds: UInt64($0), retryDigest: .zero, host: host)
    }
  }

  private func claimDigest(_ bytes: [UInt8]) throws -> ClaimDigest {
    let digest = ClaimDigest(bytes.span)
    return try #require(digest)
  }

  private func expectRefused(_ bytes: [UInt8], _ errors: Set<ClaimWireError>) {
    func refusal<Frame: ClaimFrame>(_: Frame.Type) -> ClaimWireError? {
      do throws(ClaimWireError) { _ = try Frame(bytes.span) } catch { return error }
      return nil
    }
    let isDaemons = [1, 2].contains(bytes.first)
    let error = isDaemons ? refusal(DaemonFrame.self) : refusal(StoreFrame.self)
    #expect(error.map(errors.contains) == true, "\(bytes)")
  }
}

func decode<Frame: ClaimFrame>(_ bytes: [UInt8]) throws(ClaimWireError) -> Frame {
  try Frame(bytes.span)
}
