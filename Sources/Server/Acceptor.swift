import Audit
import CLinux
import Format
import Glibc
import Host
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
  func run() { listener.run(kind.rawValue) { serve($0, $1) } }

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
      var isServed = false
      // Where no stack is free, neither.
      _ = SecretStack.run(in: kind.stacks) { [self] in
        let connection = Connection(
          line, mayCarry: mayCarry, caller, on: kind, service, times, gate, identity)
        isServed = connection.serve()
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
}

/// Closes connections that have no place, on ordinary threads: one for each user at most.
///
/// Descriptors that a client sent and nobody has read are closed with the socket. That can take as
/// long as the client likes: a TCP socket with SO_LINGER waits for its peer. Meanwhile this user's
/// other sockets wait, each with its descriptor; what they were to be told has left.
final class Closer: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var waiting: [UInt32?: [Int32]] = [:]
  /// The users that a thread closes for.
  private var served: Set<UInt32?> = []

  /// Hangs up and takes the socket.
  ///
  /// - Parameters:
  ///   - mayCarry: whether descriptors may wait in it.
  ///   - user: nil if it is not known.
  func close(_ socket: Int32, mayCarry: Bool, of user: UInt32?) {
    guard mayCarry, Self.mayTake(socket) else {
      Glibc.close(socket)
      return
    }
    shutdown(socket, Int32(SHUT_RDWR))
    let isFirst = lock.withLock {
      waiting[user, default: []].append(socket)
      return served.insert(user).inserted
    }
    guard isFirst,
      !Thread.start(on: .ordinary, { while let next = self.next(of: user) { Glibc.close(next) } })
    else { return }
    // They are closed with this user's next one.
    lock.withLock { _ = served.remove(user) }
  }

  /// Whether closing may take as long as the client likes: whether it has sent what nobody has
  /// read.
  static func mayTake(_ socket: Int32) -> Bool {
    // From now on nothing more comes.
    shutdown(socket, Int32(SHUT_RD))
    var byte: UInt8 = 0
    return unsafe kist_receive(socket, &byte, 1, 1) != 0
  }

  private func next(of user: UInt32?) -> Int32? {
    lock.withLock {
      if let next = waiting[user]?.popLast() { return next }
      waiting[user] = nil
      served.remove(user)
      return nil
    }
  }
}

/// Accepts kist-claimd on `claims.sock`, one connection at a time, and hangs up on everybody else.
final class ClaimsAcceptor: Sendable {
  private let listener: Listener
  private let user: UInt32
  private let line: ClaimsLine
  private let closer = Closer()

  /// - Parameter user: kist-claimd's.
  init(_ listener: consuming Listener, user: UInt32, _ line: ClaimsLine) {
    self.user = user
    self.line = line
    self.listener = listener
  }

  /// Runs until `stop`.
  func run() { listener.run("claims") { serve($0, $1) } }

  /// Makes `run` return, and ends the connection.
  func stop() {
    listener.stop()
    line.hangUp()
  }

  private func serve(_ socket: Int32, _ mayCarry: Bool) {
    var peer = kist_peer()
    guard unsafe kist_peer_credentials(socket, &peer) == 0, peer.uid == user else {
      return closer.close(socket, mayCarry: mayCarry, of: nil)
    }
    // It reads no secret.
    let isStarted = Thread.start(on: .ordinary) { [line, closer, user] in
      line.serve(socket, mayCarry: mayCarry)
      closer.close(socket, mayCarry: mayCarry, of: user)
    }
    if !isStarted { closer.close(socket, mayCarry: mayCarry, of: user) }
  }
}
