internal import CLinux
internal import Glibc
package import Operations
package import Policy
internal import SecretMemory
package import Service
internal import Wire

/// One accepted connection, served on its own thread until either side ends it.
///
/// Pipelining is the normal case: every whole frame that has arrived is served, their records are committed together, and
/// their replies leave in one write. The connection's thread does not wait for that, but for the next frame.
package struct Connection: ~Copyable {
  private let socket: Int32
  private let caller: Caller
  private let kind: SocketKind
  private let service: Service
  private let limits: ConnectionTimes
  private let gate: FairGate
  /// Goes with the connection, and wipes what it holds.
  private let handles: HandleTable
  private let line: ReplyLine

  /// Takes over the socket, which is closed with the connection.
  package init(_ socket: Int32, _ caller: Caller, on kind: SocketKind, _ service: Service, _ limits: ConnectionTimes, _ gate: FairGate) {
    (self.socket, self.caller, self.kind, self.service, self.limits, self.gate) = (socket, caller, kind, service, limits, gate)
    (handles, line) = (service.makeHandles(), ReplyLine(socket))
    setTimeout(SO_SNDTIMEO, limits.frameMilliseconds)
    setTimeout(SO_RCVTIMEO, limits.idleMilliseconds)
  }

  deinit { close(socket) }

  /// Serves until the caller hangs up, breaks the protocol or is too slow, or the arena is full.
  package func serve() {
    // What was served is recorded and answered, whatever comes then; and the socket is closed after that.
    defer { line.waitUntilFree() }
    do throws(SecretMemoryError) {
      var input = try FrameBuffer()
      while try waitForFrame(in: &input), line.waitUntilFree() {
        var exchange = try service.exchange(with: caller, on: kind, handles: handles)
        var exhaustion: SecretMemoryError?
        do throws(SecretMemoryError) {
          gate.enter(caller.person)
          defer { gate.leave(caller.person) }
          try serveFrames(of: &input, in: &exchange)
        } catch { exhaustion = error }
        let isLast = exchange.closes
        line.take()
        exchange.commit { [line] in line.send($0) }
        if let exhaustion { throw exhaustion }
        if isLast { return }
      }
    } catch {
      // Not even a refusal fits the arena: hanging up is all that is left.
      Diagnostics.write(.warning, "arena-exhausted", [("uid", String(caller.uid))])
    }
  }

  private func serveFrames(of input: inout FrameBuffer, in exchange: inout Exchange) throws(SecretMemoryError) {
    let turnEnds = kist_monotonic_nanoseconds() + Self.turnNanoseconds
    for _ in 0..<limits.inFlight {
      switch input.next(cap: OperationRow.frameCap) {
      case .incomplete: return
      case .broken: try exchange.refuseBroken()
      case .frame(let range): try exchange.serve(input.bytes.extracting(range))
      }
      guard !exchange.closes else { return }
      guard gate.hasCompany(caller.person) else { continue }
      // A kernel that only preempts at its ticks would let another user's thread wait for one, some milliseconds.
      sched_yield()
      if kist_monotonic_nanoseconds() > turnEnds, gate.isWanted(besides: caller.person) { return }
    }
  }

  /// How long a batch is worked on while other users wait.
  private static let turnNanoseconds: Int64 = 1_000_000

  /// Waits until the input begins with a whole frame, or with one that can be refused.
  ///
  /// - Returns: false when the connection is to end.
  private func waitForFrame(in input: inout FrameBuffer) throws(SecretMemoryError) -> Bool {
    var deadline: Int64?
    // Whether the wait is cut into seconds, to wipe the caller's secrets as their time comes.
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
    /// The time-out came first.
    case silence
    /// The caller hung up, or sent descriptors along.
    case end
  }

  private func receive(into input: inout FrameBuffer) throws(SecretMemoryError) -> Arrival {
    let socket = socket
    var code: Int32 = 0
    let count = try input.fill { free in
      while true {
        let count = unsafe free.withUnsafeMutableBufferPointer { unsafe kist_receive(socket, $0.baseAddress, $0.count) }
        if count >= 0 || errno != EINTR {
          code = errno
          return count
        }
      }
    }
    if count > 0 { return .bytes }
    return count < 0 && code == EAGAIN ? .silence : .end
  }

  private func setTimeout(_ option: Int32, _ milliseconds: Int64) {
    var time = timeval(tv_sec: Int(milliseconds / 1000), tv_usec: Int(milliseconds % 1000) * 1000)
    unsafe setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }
}

/// How long a connection may take, and how much it may ask for at once.
package struct ConnectionTimes: Sendable {
  /// How long a connection may say nothing.
  package let idleMilliseconds: Int64
  /// How long a frame may take from its first byte to its last, and a reply to be taken.
  package let frameMilliseconds: Int64
  /// Requests served before their replies leave.
  package let inFlight: Int

  package init(idleMilliseconds: Int64, frameMilliseconds: Int64, inFlight: Int) {
    (self.idleMilliseconds, self.frameMilliseconds, self.inFlight) = (idleMilliseconds, frameMilliseconds, inFlight)
  }
}
