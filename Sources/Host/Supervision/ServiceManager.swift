import CLinux
import Glibc

/// Tells the service manager of start-up, reload and stop, by the `sd_notify(3)` protocol without
/// its library.
///
/// The socket is connected at start, because a confined process can make no more sockets.
package final class ServiceManager: Sendable {
  package enum State: Sendable {
    case ready(status: String)
    case reloading
    case stopping
    /// Start-up takes long and is still going on.
    case busy
    /// What `systemctl status` shows.
    case status(String)
    /// For `WatchdogSec=`.
    case alive

    var text: String {
      switch self {
      case .ready(let status): "READY=1\n\(Self.status(status).text)"
      case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(kist_monotonic_nanoseconds() / 1000)"
      case .stopping: "STOPPING=1"
      case .busy: "EXTEND_TIMEOUT_USEC=60000000"
      case .status(let text): "STATUS=\(String(text.map { $0.isNewline ? " " : $0 }))"
      case .alive: "WATCHDOG=1"
      }
    }
  }

  /// -1 if no service manager asked to be told.
  private let socket: Int32

  package init() {
    socket = unsafe getenv("NOTIFY_SOCKET").map { unsafe kist_datagram_socket($0) } ?? -1
  }

  deinit { if socket >= 0 { close(socket) } }

  /// How often at least the service manager wants to hear `.alive`, in microseconds; nil if not at
  /// all.
  package static var watchdogMicroseconds: UInt64? {
    guard let text = unsafe getenv("WATCHDOG_USEC"),
      let limit = UInt64(unsafe String(cString: text)), limit > 0
    else { return nil }
    if let process = unsafe getenv("WATCHDOG_PID"),
      Int32(unsafe String(cString: process)) != getpid()
    {
      return nil
    }
    return limit
  }

  /// Whether one asked to be told.
  package var isThere: Bool { socket >= 0 }

  /// Errors are ignored: the daemon runs on if nobody listens.
  package func tell(_ state: State) {
    guard isThere else { return }
    let bytes = Array(state.text.utf8)
    _ = unsafe send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
