internal import CLinux
internal import Glibc
package import Operations
internal import Policy
internal import SecretMemory
package import Service

/// Accepts connections on one socket, each served on a thread of its own, until it is told to stop.
package final class Acceptor: Sendable {
  private let listener: Listener
  private let kind: SocketKind
  private let service: Service
  private let times: ConnectionTimes
  private let connections: OpenConnections
  private let gate: FairGate

  package init(
    _ listener: consuming Listener, _ kind: SocketKind, _ service: Service, _ times: ConnectionTimes, _ connections: OpenConnections,
    _ gate: FairGate
  ) {
    (self.kind, self.service, self.times, self.connections, self.gate) = (kind, service, times, connections, gate)
    self.listener = listener
  }

  /// Runs until `stop`.
  package func run() {
    var saidFull = false
    while true {
      let socket = kist_accept(listener.descriptor)
      guard socket < 0 else {
        saidFull = false
        serve(socket)
        continue
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        // The connected ones go on; the person on call is told once.
        if !saidFull { Diagnostics.write(.error, "descriptors-exhausted", [("socket", kind.name)]) }
        saidFull = true
        usleep(50_000)
      default: return
      }
    }
  }

  /// Makes `run` return; connections are not touched.
  package func stop() { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

  private func serve(_ socket: Int32) {
    guard let caller = PeerIdentity.of(socket: socket), connections.take(socket, uid: caller.uid) else {
      close(socket)
      return
    }
    let (kind, service, times, connections, gate) = (kind, service, times, connections, gate)
    let started = Thread.start {
      let connection = Connection(socket, caller, on: kind, service, times, gate)
      connection.serve()
      connections.giveBack(socket, uid: caller.uid)
      _ = consume connection
    }
    guard !started else { return }
    connections.giveBack(socket, uid: caller.uid)
    close(socket)
  }
}

extension SocketKind {
  fileprivate var name: String {
    switch self {
    case .services: "service"
    case .operators: "admin"
    }
  }
}
