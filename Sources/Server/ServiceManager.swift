internal import CLinux
internal import Glibc

/// Tells the service manager of start-up, reload and stop, by the `sd_notify(3)` protocol without its library.
///
/// The socket is connected at start, because a confined process can make no more sockets.
package final class ServiceManager: Sendable {
  package enum State: Sendable {
    case ready(status: String)
    case reloading
    case stopping
    /// Start-up takes long and is still going on.
    case busy

    var text: String {
      switch self {
      case .ready(let status): "READY=1\nSTATUS=\(status)"
      case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(kist_monotonic_nanoseconds() / 1000)"
      case .stopping: "STOPPING=1"
      case .busy: "EXTEND_TIMEOUT_USEC=60000000"
      }
    }
  }

  /// -1 if no service manager asked to be told.
  private let socket: Int32

  package init() { socket = unsafe getenv("NOTIFY_SOCKET").map { unsafe kist_datagram_socket($0) } ?? -1 }

  deinit { if socket >= 0 { close(socket) } }

  /// Errors are ignored: the daemon runs on if nobody listens.
  package func tell(_ state: State) {
    guard socket >= 0 else { return }
    let bytes = Array(state.text.utf8)
    _ = unsafe send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
