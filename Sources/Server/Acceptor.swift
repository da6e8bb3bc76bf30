import Audit
import CLinux
import Format
import Glibc
import Host
import Operations
import Policy
import Service

/// Accepts connections on one socket until stopped, and serves each on a thread of its own.
final class Acceptor: Sendable {
  private let listener: Listener
  private let kind: SocketKind
  private let service: Service
  private let times: ConnectionTimes
  private let connections: OpenConnections
  private let gate: FairGate
  private let identity: IdentityInForce
  private let closer = Closer()

  init(
    _ listener: consuming Listener, _ kind: SocketKind, _ service: Service,
    _ times: ConnectionTimes, _ connections: OpenConnections,
    _ gate: FairGate, _ identity: IdentityInForce
  ) {
    self.kind = kind
    self.service = service
    self.times = times
    self.connections = connections
    self.gate = gate
    self.identity = identity
    self.listener = listener
  }

  /// Runs until `stop`.
  func run() {
    var saidFull = false
    while true {
      switch listener.next() {
      case .connection(let socket, let mayCarry):
        saidFull = false
        serve(socket, mayCarry)
      case .failed(EINTR), .failed(EAGAIN), .failed(ECONNABORTED): continue
      case .failed(EMFILE), .failed(ENFILE), .failed(ENOBUFS), .failed(ENOMEM):
        // Existing connections go on; the person on call is told once.
        if !saidFull { Diagnostics.write(.error, "descriptors-exhausted", [("socket", kind.name)]) }
        saidFull = true
        usleep(50_000)
      case .stopped, .failed: return
      }
    }
  }

  /// Makes `run` return; open connections go on.
  func stop() { listener.stop() }

  private func serve(_ socket: Int32, _ mayCarry: Bool) {
    let caller: Caller
    do throws(PeerIdentity.Refusal) { caller = try identity.caller(at: socket, on: kind) } catch {
      service.refuseConnection(of: error.uid, on: kind, .unidentified)
      closer.close(socket, mayCarry: mayCarry, of: nil)
      return
    }
    let line = ReplyLine(socket)
    switch connections.take(
      line, uid: caller.person, mustGetIn: kind == .operators && service.mayLock(caller))
    {
    case .taken: start(line, mayCarry, caller)
    case .full:
      refuse(socket, caller)
      closer.close(socket, mayCarry: mayCarry, of: caller.person)
    case .closing: closer.close(socket, mayCarry: mayCarry, of: caller.person)
    }
  }

  private func start(_ line: ReplyLine, _ mayCarry: Bool, _ caller: Caller) {
    let started = Thread.start(on: .ordinary) { [self] in
      let isServed = SecretStack.run(in: kind.stacks) { [self] in
        let connection = Connection(
          line, mayCarry: mayCarry, caller, on: kind, service, times, gate, identity)
        connection.serve()
      }
      connections.leave(line)
      if !isServed { refuse(line.socket, caller) }
      // Without a secret stack, since descriptors that were sent are closed now, too.
      let mayTake = mayCarry && Closer.mayTake(line.socket)
      if !mayTake { connections.giveBack(uid: caller.person) }
      close(line.socket)
      if mayTake { connections.giveBack(uid: caller.person) }
    }
    guard !started else { return }
    connections.leave(line)
    refuse(line.socket, caller)
    closer.close(line.socket, mayCarry: mayCarry, of: caller.person)
    connections.giveBack(uid: caller.person)
  }

  /// Sends a "busy" reply, which fits any socket's buffer [WIRE-21].
  private func refuse(_ socket: Int32, _ caller: Caller) {
    _ = unsafe Self.busy.withUnsafeBufferPointer {
      unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    service.refuseConnection(of: caller.person, on: kind, .full)
  }

  private static let busy: [UInt8] = {
    var frame = [UInt8](repeating: 0, count: RequestHeader.lengthByteCount + ReplyHeader.byteCount)
    var bytes = frame.mutableSpan
    ReplyHeader(status: .busy, opcode: 0, requestID: 0, auditSequence: ReplyHeader.unaudited)
      .encode(bodyCount: 0, into: &bytes)
    return frame
  }()
}

extension PeerIdentity.Refusal {
  fileprivate var uid: UInt32? {
    switch self {
    case .untold: nil
    case .disputed(let uid): uid
    }
  }
}

extension SocketKind {
  fileprivate var stacks: SecretStack.Pool {
    switch self {
    case .services: .services
    case .operators: .operators
    }
  }

  fileprivate var name: String {
    switch self {
    case .services: "service"
    case .operators: "admin"
    }
  }
}
