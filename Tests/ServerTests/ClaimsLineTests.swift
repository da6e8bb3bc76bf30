import CLinux
import Format
import Foundation
import Host
import Operations
@testable import Server
import TestSupport
import Testing

/// kistd's end of `claims.sock`, against a peer that the test plays.
@Suite final class ClaimsLineTests {
  private let host: HostName
  /// It waits for an hour, longer than any test: whatever ends earlier has another reason.
  private let line: ClaimsLine
  /// The peer's end.
  private let peer: Int32

  init() throws {
    host = try #require(HostName("paris"))
    line = ClaimsLine(host: host, run: 7, timeout: 3_600_000)
    peer = try Self.connect(line)
  }

  deinit { close(peer) }

  private static func connect(_ line: ClaimsLine) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let end = ends[0]
    try #require(
      Thread.start {
        line.serve(end, mayCarry: true)
        close(end)
      })
    return ends[1]
  }

  private func read(_ socket: Int32) throws -> DaemonFrame {
    func bytes(_ count: Int) throws -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      try #require(unsafe recv(socket, &bytes, count, Int32(MSG_WAITALL)) == count)
      return bytes
    }
    let length = try bytes(4).reduce(0) { $0 << 8 | Int($1) }
    let frame = try bytes(length)
    return try DaemonFrame(frame.span)
  }

  private func send(_ frame: StoreFrame, to socket: Int32? = nil) {
    send(frame.encoded, to: socket)
  }

  private func send(_ bytes: [UInt8], to socket: Int32? = nil) {
    _ = unsafe Glibc.send(socket ?? peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Whether the line has hung up.
  private func isOver(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    return unsafe recv(socket, &byte, 1, 0) == 0
  }

  private func begin() throws { try begin(line, peer) }

  private func begin(_ line: ClaimsLine, _ peer: Int32) throws {
    #expect(try read(peer) == .hello(Claimant(host: host, run: 7)))
    send(.state(isThere: true), to: peer)
    try wait { !line.isAway }
  }

  /// Waits for what comes true, for a minute at most.
  private func wait(_ condition: () throws -> Bool) throws {
    for _ in 0..<6000 {
      if try condition() { return }
      usleep(10_000)
    }
    Issue.record("it does not come to pass")
  }

  private static func claim(_ number: UInt8) -> Claim {
    let bytes = [UInt8](repeating: number, count: 32)
    return Claim(digest: ClaimDigest(bytes.span) ?? .zero, retryDigest: .zero, day: UInt32(number))
  }

  private func holding(_ holder: ClaimHolding.Holder = .thisHost, _ host: String = "paris") throws
    -> ClaimHolding
  {
    ClaimHolding(holder, ageMilliseconds: 1, retryDigest: .zero, host: try #require(HostName(host)))
  }

  /// Asks on another thread.
  private func ask(_ claims: [Claim], on other: ClaimsLine? = nil) throws -> Handover<
    Locked<[ClaimHolding]?>
  > {
    let answer = Handover<Locked<[ClaimHolding]?>>()
    let line = other ?? line
    try #require(
      Thread.start { answer.give(Locked(line.claim(claims, under: Self.claim(8).digest))) })
    return answer
  }

  private func nextAsk(_ socket: Int32? = nil) throws -> ClaimAsk {
    guard case .ask(let ask) = try read(socket ?? peer) else { throw ClaimWireError.kind }
    return ask
  }

  @Test(
    "[FLEET-SOCK-1] questions of several threads are under way at once, and answers come in any order"
  ) func concurrent() throws {
    try begin()
    let first = try ask([Self.claim(1)])
    let second = try ask([Self.claim(2), Self.claim(3)])
    let asks = [try nextAsk(), try nextAsk()].sorted { $0.claims.count < $1.claims.count }
    #expect(
      asks.map(\.claims) == [[Self.claim(1)], [Self.claim(2), Self.claim(3)]]
        && asks[0].id != asks[1].id)
    let here = try holding()
    let there = try holding(.anotherHost, "rome")
    send(.answer(try #require(ClaimAnswer(id: asks[1].id, holdings: [here, there]))))
    #expect(second.take().withLock { $0 } == [here, there])
    send(.away(id: asks[0].id))
    #expect(first.take().withLock { $0 } == nil)
  }

  @Test(
    "[FLEET-CLAIM-10] another run of this host may hold a claim; that another host is this one ends the connection"
  ) func otherRun() throws {
    try begin()
    let first = try ask([Self.claim(1)])
    let asked = try nextAsk()
    #expect(asked.key == Self.claim(8).digest)
    let held = try holding(.anotherHost, "paris")
    send(.answer(try #require(ClaimAnswer(id: asked.id, holdings: [held]))))
    #expect(first.take().withLock { $0 } == [held])
    let second = try ask([Self.claim(2)])
    send(
      .answer(
        try #require(ClaimAnswer(id: try nextAsk().id, holdings: [try holding(.thisHost, "rome")])))
    )
    #expect(second.take().withLock { $0 } == nil && isOver(peer))
  }

  @Test("[FLEET-SOCK-2] an answer that comes later than the time is dropped, and the line goes on")
  func late() throws {
    let hasty = ClaimsLine(host: host, run: 7, timeout: 200)
    let peer = try Self.connect(hasty)
    defer { close(peer) }
    try begin(hasty, peer)
    let first = try ask([Self.claim(1)], on: hasty)
    let id = try nextAsk(peer).id
    #expect(first.take().withLock { $0 } == nil)
    send(.answer(try #require(ClaimAnswer(id: id, holdings: [holding()]))), to: peer)
    // Where the machine is busy, this test itself may be late again.
    try wait {
      let next = try ask([Self.claim(1)], on: hasty)
      send(
        .answer(try #require(ClaimAnswer(id: nextAsk(peer).id, holdings: [holding()]))), to: peer)
      return try next.take().withLock { $0 } == [holding()]
    }
  }

  @Test("[FLEET-SOCK-3] nothing is asked before the first state, while it is 0, or without a peer")
  func notAsked() throws {
    #expect(try read(peer) == .hello(Claimant(host: host, run: 7)))
    #expect(line.isAway && line.claim([Self.claim(1)], under: .zero) == nil)
    send(.state(isThere: true))
    try wait { !self.line.isAway }
    send(.state(isThere: false))
    try wait { self.line.isAway }
    #expect(line.claim([Self.claim(1)], under: .zero) == nil)
    send(.state(isThere: true))
    try wait { !self.line.isAway }
    shutdown(peer, Int32(SHUT_RDWR))
    try wait { self.line.isAway }
    #expect(line.claim([Self.claim(1)], under: .zero) == nil)
    let next = try Self.connect(line)
    defer { close(next) }
    #expect(try read(next) == .hello(Claimant(host: host, run: 7)))
    send(.state(isThere: true), to: next)
    try wait { !self.line.isAway }
  }

  @Test("[FLEET-SOCK-3] if the connection ends, what is asked is away at once") func ended() throws
  {
    try begin()
    let asked = try ask([Self.claim(1)])
    _ = try nextAsk()
    shutdown(peer, Int32(SHUT_RDWR))
    #expect(asked.take().withLock { $0 } == nil)
  }

  @Test(
    "[FLEET-SOCK-3] a question whose connection ends before it is sent is not sent on the next one")
  func replaced() throws {
    let isFirst = Locked(true)
    let isBegun = Signal()
    let mayBeSent = Signal()
    let line = ClaimsLine(host: host, run: 7, timeout: 3_600_000) {
      let isHeld = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      guard isHeld else { return }
      isBegun.give()
      mayBeSent.wait()
    }
    let peer = try Self.connect(line)
    try begin(line, peer)
    let lost = try ask([Self.claim(1)], on: line)
    isBegun.wait()
    close(peer)
    try wait { line.isAway }

    let next = try Self.connect(line)
    defer { close(next) }
    try begin(line, next)
    let second = try ask([Self.claim(2)], on: line)
    let id = try nextAsk(next).id
    mayBeSent.give()
    #expect(lost.take().withLock { $0 } == nil)
    let third = try ask([Self.claim(3)], on: line)
    let last = try nextAsk(next)
    try #require(last.claims == [Self.claim(3)], "the question of the connection before was sent")
    for id in [id, last.id] {
      send(.answer(try #require(ClaimAnswer(id: id, holdings: [holding()]))), to: next)
    }
    #expect(second.take().withLock { $0 } == [try holding()])
    #expect(third.take().withLock { $0 } == [try holding()])
  }

  @Test("[FLEET-SOCK-1] a peer that breaks the rules is hung up on", arguments: 0..<7) func broken(
    _ way: Int
  ) throws {
    try begin()
    let asked = try ask([Self.claim(1)])
    let id = try nextAsk().id
    let frames: [[UInt8]] = [
      [0, 0, 0, 0], [0, 1, 0, 1, 5], [0, 0, 0, 1, 9], [0, 0, 0, 2, 5, 2],
      StoreFrame.away(id: id + 1).encoded,
      try #require(ClaimAnswer(id: id, holdings: [holding(), holding()])).map {
        StoreFrame.answer($0).encoded
      },
      try #require(ClaimAnswer(id: id, holdings: [holding(.thisHost, "rome")])).map {
        StoreFrame.answer($0).encoded
      },
    ]
    send(frames[way])
    #expect(isOver(peer) && asked.take().withLock { $0 } == nil && line.isAway)
  }

  @Test(
    "[FLEET-SOCK-5] a peer whose state changes all the time is hung up on; one whose state changes now and then is not"
  ) func restless() throws {
    let now = Locked(1 as Int64)
    let line = ClaimsLine(host: host, run: 7, timeout: 3_600_000, clock: { now.withLock { $0 } })
    let patient = try Self.connect(line)
    defer { close(patient) }
    #expect(try read(patient) == .hello(Claimant(host: host, run: 7)))
    func change(_ count: Int) throws {
      for number in 0..<count {
        send(.state(isThere: number % 2 == 0), to: patient)
        try wait { line.isAway == (number % 2 != 0) }
      }
    }
    for _ in 0..<3 {
      try change(10)
      // Said again, it is no change.
      send(.state(isThere: false), to: patient)
      now.withLock { $0 += 10_000_000_001 }
    }
    try change(10)
    send(.state(isThere: true), to: patient)
    #expect(isOver(patient))
    try wait { line.isAway }
  }

  @Test("[FLEET-SOCK-3] a second peer is hung up on while there is a first") func second() throws {
    try begin()
    let other = try Self.connect(line)
    defer { close(other) }
    #expect(isOver(other) && !line.isAway)
  }

  @Test("[FLEET-SOCK-3] only the configured user may connect") func user() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-claims-\(UUID().uuidString.prefix(8))"
    ).path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    for (user, isLetIn) in [(geteuid(), true), (geteuid() + 1, false)] {
      let own = ClaimsLine(host: host, run: 7, timeout: 3_600_000)
      let path = directory + "/\(user)"
      // Not bound by `Listener`, which changes the process's umask meanwhile.
      let listening = kist_unix_socket()
      try #require(unsafe kist_bind_unix(listening, path) == 0 && listen(listening, 8) == 0)
      let acceptor = ClaimsAcceptor(try Listener(adopting: listening), user: user, own)
      try #require(Thread.start { acceptor.run() })
      defer { acceptor.stop() }
      let socket = kist_unix_socket()
      defer { close(socket) }
      try #require(unsafe kist_connect_unix(socket, path) == 0)
      if isLetIn {
        #expect(try read(socket) == .hello(Claimant(host: host, run: 7)))
      } else {
        #expect(isOver(socket))
      }
    }
  }
}

extension ClaimAnswer {
  fileprivate func map<R>(_ body: (ClaimAnswer) -> R) -> R { body(self) }
}
