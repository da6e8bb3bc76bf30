internal import CLinux
internal import Glibc

/// Tells the service manager how start-up, reload and stop go: the `sd_notify(3)` protocol, without its library.
package enum Notify {
  package enum State: Sendable {
    case ready(status: String)
    case reloading
    case stopping

    var text: String {
      switch self {
      case .ready(let status): "READY=1\nSTATUS=\(status)"
      case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(kist_monotonic_nanoseconds() / 1000)"
      case .stopping: "STOPPING=1"
      }
    }
  }

  /// Does nothing where no service manager asked to be told.
  package static func send(_ state: State) {
    guard let path = unsafe getenv("NOTIFY_SOCKET") else { return }
    // The daemon runs on when nobody listens.
    _ = unsafe kist_send_datagram(path, state.text)
  }
}
