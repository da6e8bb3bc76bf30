import CLinux
import Format
import Glibc
import Host
import Operations
import Policy
import Service

/// One accepted connection, served on its own thread until either side ends it.
///
/// Pipelining is the normal case: all whole frames that have arrived are served as one batch, which
/// has one commit and one write of its replies. Meanwhile the connection's thread waits for the
/// next frame, not for the commit.
struct Connection: ~Copyable {
  private let socket: Int32
  private let mayCarry: Bool
  private let caller: Caller
  private let kind: SocketKind
  private let service: Service
  private let limits: ConnectionTimes
  private let gate: FairGate
  private let identity: IdentityInForce
  /// Lives as long as the connection, and wipes its secrets at the end.
  private let handles: HandleTable
  private let memory = ConnectionMemory()
  private let counts: ConnectionCounts
  private let line: ReplyLine
  /// Gives the place up to others for as long as something else is waited for.
  private let waiting: @Sendable (() -> Void) -> Void

  /// - Parameters:
  ///   - line: to the socket, which must stay open as long as the connection.
  ///   - mayCarry: whether descriptors may come along.
  init(
    _ line: ReplyLine, mayCarry: Bool, _ caller: Caller, on kind: SocketKind, _ service: Service,
    _ limits: ConnectionTimes, _ gate: FairGate, _ identity: IdentityInForce
  ) {
    socket = line.socket
    self.line = line
    self.mayCarry = mayCarry
    self.caller = caller
    self.kind = kind
    self.service = service
    self.limits = limits
    self.gate = gate
    self.identity = identity
    let person = caller.person
    waiting = { wait in
      gate.leave(person)
      wait()
      gate.enter(person)
    }
    handles = service.makeHandles()
    counts = service.makeCounts(for: caller.person)
    setTimeout(SO_SNDTIMEO, limits.frameMilliseconds)
    setTimeout(SO_RCVTIMEO, limits.idleMilliseconds)
  }

  deinit { service.endCounts(counts) }

  /// Serves until the client hangs up, breaks the protocol or is too slow, the arena is full or its
  /// place is another's.
  ///
  /// - Returns: false if the arena was full before anything could be answered.
  func serve() -> Bool {
    // However this ends, what was served is recorded and answered before the socket is closed.
    defer { line.waitUntilFree() }
    var hasServed = false
    do throws(SecretMemoryError) {
      var input = try FrameBuffer()
      var confirmation = identity.unconfirmed(on: kind)
      while try waitForFrame(in: &input), identity.confirms(caller, on: kind, &confirmation),
        line.take()
      {
        var exchange = try beginExchange(input.arrived)
        hasServed = true
        var exhaustion: SecretMemoryError?
        do throws(SecretMemoryError) {
          gate.enter(caller.person)
          defer { gate.leave(caller.person) }
          try serveFrames(of: &input, in: &exchange)
        } catch { exhaustion = error }
        let isLast = exchange.closes
        exchange.commit { [line] in line.send($0) }
        if let exhaustion { throw exhaustion }
        if isLast { break }
      }
      return true
    } catch {
      Diagnostics.write(.warning, "arena-exhausted", [("uid", String(caller.uid))])
      return hasServed
    }
  }

  private func beginExchange(_ arrived: Int64) throws(SecretMemoryError) -> RequestBatch {
    do throws(SecretMemoryError) {
      return try service.exchange(
        with: caller, on: kind, handles: handles, memory: memory, counts: counts, arrived: arrived,
        waiting: waiting)
    } catch {
      line.giveBack()
      throw error
    }
  }

  /// In a fleet, has what the batch is to open claimed before any of it is served.
  ///
  /// - Returns: how many requests are served next.
  private func claimFrames(of input: inout FrameBuffer, in exchange: inout RequestBatch) -> Int {
    guard exchange.isInFleet else { return limits.inFlight }
    let began = kist_monotonic_nanoseconds()
    let mark = input.mark
    var count = 0
    look: while count < limits.inFlight {
      count += 1
      switch input.next(cap: OperationRow.frameCap) {
      case .incomplete, .broken: break look
      case .frame(let header, let body):
        guard OperationRow.row(for: header.opcode)?.movesStore != true else { break look }
        exchange.look(header, input.bytes.extracting(body))
      }
      if kist_monotonic_nanoseconds() > began + Self.turnNanoseconds,
        gate.isWanted(besides: caller.person)
      {
        break
      }
    }
    input.rewind(to: mark)
    exchange.claim()
    return count
  }

  private func serveFrames(of input: inout FrameBuffer, in exchange: inout RequestBatch)
    throws(SecretMemoryError)
  {
    let count = claimFrames(of: &input, in: &exchange)
    let began = kist_monotonic_nanoseconds()
    exchange.begin(at: began)
    for _ in 0..<count {
      let mark = input.mark
      switch input.next(cap: OperationRow.frameCap) {
      case .incomplete: return
      case .broken: try exchange.refuseBroken()
      case .frame(let header, let body):
        guard exchange.takes(header) else { return input.rewind(to: mark) }
        try exchange.serve(header, input.bytes.extracting(body))
      }
      let now = kist_monotonic_nanoseconds()
      exchange.noteServed(at: now)
      guard !exchange.closes else { return }
      guard gate.hasCompany(caller.person, at: now) else { continue }
      // A kernel that preempts only at its ticks would make another user's thread wait some
      // milliseconds for one.
      sched_yield()
      if kist_monotonic_nanoseconds() > began + Self.turnNanoseconds,
        gate.isWanted(besides: caller.person)
      {
        return
      }
    }
  }

  /// How long a batch may be worked on while other users wait.
  private static let turnNanoseconds: Int64 = 1_000_000

  /// Waits until the input begins with a whole frame, or with one that must be refused.
  ///
  /// - Returns: false when the connection is to end.
  private func waitForFrame(in input: inout FrameBuffer) throws(SecretMemoryError) -> Bool {
    var deadline: Int64?
    // Whether the read times out every second, to wipe the caller's secrets when they expire.
    var isWatching = false
    while !input.isReady(cap: OperationRow.frameCap) {
      if input.isPartial, deadline == nil {
        deadline = kist_monotonic_nanoseconds() + limits.frameMilliseconds * 1_000_000
        setTimeout(SO_RCVTIMEO, limits.frameMilliseconds)
        isWatching = false
      }
      if let deadline, kist_monotonic_nanoseconds() > deadline { return false }
      let holdsSecrets = handles.expire() && deadline == nil
      if holdsSecrets != isWatching {
        isWatching = holdsSecrets
        if deadline == nil { setTimeout(SO_RCVTIMEO, isWatching ? 1000 : limits.idleMilliseconds) }
      }
      switch try receive(into: &input) {
      case .bytes: continue
      case .silence where isWatching: continue
      case .silence, .end: return false
      }
    }
    if deadline != nil || isWatching { setTimeout(SO_RCVTIMEO, limits.idleMilliseconds) }
    return true
  }

  private enum Arrival {
    case bytes
    /// The read timed out.
    case silence
    /// The client hung up, or sent file descriptors.
    case end
  }

  private func receive(into input: inout FrameBuffer) throws(SecretMemoryError) -> Arrival {
    let socket = socket
    let mayCarry = mayCarry ? 1 : 0 as Int32
    var code: Int32 = 0
    let count = try input.fill { free in
      while true {
        let count = unsafe free.withUnsafeMutableBufferPointer {
          unsafe kist_receive(socket, $0.baseAddress, $0.count, mayCarry)
        }
        if count >= 0 || errno != EINTR {
          code = errno
          return count
        }
      }
    }
    if count > 0 {
      input.arrived = kist_monotonic_nanoseconds()
      return .bytes
    }
    return count < 0 && code == EAGAIN ? .silence : .end
  }

  private func setTimeout(_ option: Int32, _ milliseconds: Int64) {
    var time = timeval(tv_sec: Int(milliseconds / 1000), tv_usec: Int(milliseconds % 1000) * 1000)
    unsafe setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }
}

/// A connection's time limits, and how many requests it may have in flight.
struct ConnectionTimes: Sendable {
  /// How long a connection may be idle.
  let idleMilliseconds: Int64
  /// How long a client may take to send a frame, from first byte to last, or to take a reply.
  let frameMilliseconds: Int64
  /// The most requests in one batch, which are served before any of their replies leaves.
  let inFlight: Int
}
