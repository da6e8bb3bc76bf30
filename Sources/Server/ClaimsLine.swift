import CLinux
import Format
import Glibc
import Host
import Operations

/// Asks kist-claimd, over its one connection, and has its answers handed to the threads that wait
/// for them [FLEET-SOCK-1].
final class ClaimsLine: FleetStore, @unchecked Sendable {
  private let claimant: Claimant
  private let nanoseconds: Int64
  private let willSend: @Sendable () -> Void
  private let clock: @Sendable () -> Int64
  /// Held while a frame is sent, and while the connection is closed.
  private let sending = Lock()
  private let lock = Lock()
  // Guarded by `lock`.
  private var socket: Int32?
  private var isUp = false
  /// How often that has changed on this connection since a moment, in nanoseconds.
  private var changes = (count: 0, since: Int64(0))
  /// Never given twice, so that a question whose connection has ended meanwhile is told from those
  /// of the next.
  private var last: UInt64 = 0
  private var asks: [UInt64: PendingAsk] = [:]

  /// - Parameters:
  ///   - run: of this daemon; another each time.
  ///   - timeout: how long a question may take, in milliseconds.
  ///   - willSend: called between giving a question its number and sending it.
  ///   - clock: nanoseconds that never go back.
  init(
    host: HostName, run: UInt64 = .random(in: 0...(.max)), timeout: Int64,
    willSend: @escaping @Sendable () -> Void = {},
    clock: @escaping @Sendable () -> Int64 = { Monitor.now }
  ) {
    claimant = Claimant(host: host, run: run)
    nanoseconds = timeout * 1_000_000
    self.clock = clock
    self.willSend = willSend
  }

  var isAway: Bool { lock.withLock { !isUp } }

  func claim(_ claims: [Claim], under key: ClaimDigest) -> [ClaimHolding]? {
    let deadline = Monitor.now + nanoseconds
    let ask = PendingAsk(claims.count)
    guard let id = begin(ask) else { return nil }
    defer { lock.withLock { _ = asks.removeValue(forKey: id) } }
    willSend()
    guard let frame = ClaimAsk(id: id, key: key, claims: claims), send(.ask(frame), of: id) else {
      return nil
    }
    return ask.wait(until: deadline)
  }

  /// Serves a connection until its peer hangs up or breaks the rules, and not at all if there is
  /// one already.
  ///
  /// - Parameter mayCarry: whether descriptors may come along.
  func serve(_ socket: Int32, mayCarry: Bool) {
    let isFirst = lock.withLock {
      guard self.socket == nil else { return false }
      self.socket = socket
      return true
    }
    guard isFirst else { return }
    var time = timeval(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_usec: Int(nanoseconds % 1_000_000_000 / 1000))
    unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    if send(.hello(claimant)) { read(socket, mayCarry) }
    end()
  }

  /// Ends the connection, if there is one.
  func hangUp() { lock.withLock { if let socket { shutdown(socket, Int32(SHUT_RDWR)) } } }
}

extension ClaimsLine {
  /// - Returns: the question's number; nil if there is nobody to ask. [FLEET-SOCK-3]
  private func begin(_ ask: PendingAsk) -> UInt64? {
    lock.withLock {
      guard isUp else { return nil }
      last += 1
      asks[last] = ask
      return last
    }
  }

  /// Sends a whole frame; a peer that does not take it in time is hung up on.
  ///
  /// - Parameter id: the question's number, if it is one: it is not sent once its connection has
  ///   ended.
  private func send(_ frame: DaemonFrame, of id: UInt64? = nil) -> Bool {
    let frame = frame.encoded
    return sending.withLock {
      guard let socket = lock.withLock({ id.map { asks[$0] != nil } ?? true ? self.socket : nil })
      else { return false }
      var sent = 0
      while sent < frame.count {
        let rest = frame[sent...]
        let count = unsafe rest.withUnsafeBufferPointer {
          unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          shutdown(socket, Int32(SHUT_RDWR))
          return false
        }
        sent += count
      }
      return true
    }
  }

  private func read(_ socket: Int32, _ mayCarry: Bool) {
    var input = FrameInput()
    while true {
      let count = input.fill { free in
        unsafe free.withUnsafeMutableBufferPointer {
          unsafe kist_receive(socket, $0.baseAddress, $0.count, mayCarry ? 1 : 0)
        }
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      do throws(ClaimWireError) {
        while let frame = try input.next(StoreFrame.self) { try take(frame) }
      } catch {
        return Diagnostics.write(
          .error, "claims-peer-broken",
          [("reason", error.description), ("meaning", "is kist-claimd of this version?")])
      }
    }
  }

  private func take(_ frame: StoreFrame) throws(ClaimWireError) {
    switch frame {
    case .state(let isThere):
      guard try lock.withLock({ () throws(ClaimWireError) in try change(to: isThere, at: clock()) })
      else { return }
      say(isThere)
    case .away(let id): try ask(id)?.answer(nil)
    case .answer(let answer):
      // Who says that another's name is this host's speaks for another host.
      guard answer.holdings.allSatisfy({ $0.holder != .thisHost || $0.host == claimant.host })
      else { throw .holder }
      let ask = try ask(answer.id)
      guard ask.map({ $0.count == answer.holdings.count }) ?? true else {
        ask?.answer(nil)
        throw .count
      }
      ask?.answer(answer.holdings)
    }
  }

  /// Called under the lock; a peer that changes its mind all the time would fill the log
  /// [FLEET-SOCK-5].
  ///
  /// - Returns: whether it was otherwise before.
  private func change(to isThere: Bool, at now: Int64) throws(ClaimWireError) -> Bool {
    guard isThere != isUp else { return false }
    if now - changes.since > Self.changeNanoseconds { changes = (0, now) }
    changes.count += 1
    guard changes.count <= Self.changeLimit else { throw .restless }
    isUp = isThere
    return true
  }

  /// How often a store may come and go, and within which time.
  private static let (changeLimit, changeNanoseconds) = (10, 10_000_000_000 as Int64)

  /// The question with this number; nil if nobody waits for it any more.
  private func ask(_ id: UInt64) throws(ClaimWireError) -> PendingAsk? {
    let (ask, isPast) = lock.withLock { (asks.removeValue(forKey: id), id <= last) }
    guard isPast else { throw .kind }
    return ask
  }

  private func end() {
    let (left, wasUp) = sending.withLock {
      lock.withLock {
        defer { (self.socket, isUp, asks, changes) = (nil, false, [:], (0, 0)) }
        return (asks.values, isUp)
      }
    }
    for ask in left { ask.answer(nil) }
    if wasUp { say(false) }
  }

  private func say(_ isUp: Bool) {
    if isUp {
      Diagnostics.write(.info, "claims-up")
    } else {
      Diagnostics.write(
        .error, "claims-away",
        [
          (
            "meaning",
            "tokens are answered busy until the fleet's store is back, but for merchants with claims = \"local\"; see kist-claimd's log"
          )
        ])
    }
  }
}

/// One question to kist-claimd, and the thread that waits for its answer.
final class PendingAsk: @unchecked Sendable {
  /// How many claims it has.
  let count: Int
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var isAnswered = false
  private var holdings: [ClaimHolding]?

  init(_ count: Int) { self.count = count }

  /// - Parameter holdings: nil if the store is away.
  func answer(_ holdings: [ClaimHolding]?) {
    monitor.withLock { (isAnswered, self.holdings) = (true, holdings) }
    monitor.wakeAll()
  }

  /// Waits for the answer; nil if there is none by then, in nanoseconds of `Monitor.now`.
  /// [FLEET-SOCK-2]
  func wait(until deadline: Int64) -> [ClaimHolding]? {
    monitor.withLock {
      while !isAnswered, monitor.wait(until: deadline) {}
      return holdings
    }
  }
}
