import CLinux
import Glibc
import Host

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
  func run() {
    while true {
      switch listener.next() {
      case .connection(let socket, let mayCarry): serve(socket, mayCarry)
      case .failed(EINTR), .failed(EAGAIN), .failed(ECONNABORTED): continue
      // Kistd has no descriptors left for the moment.
      case .failed(EMFILE), .failed(ENFILE), .failed(ENOBUFS), .failed(ENOMEM): usleep(50_000)
      case .stopped, .failed: return
      }
    }
  }

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
