internal import KistClient

/// Which of the daemon's sockets a command speaks to, and how long it waits there; every such command takes `--socket` and `--timeout`.
struct DaemonUse: Sendable {
  /// The environment's variable that names the socket.
  let variable: String
  /// The socket where nothing names another.
  let usual: Endpoint
  /// Seconds that connecting and each request may take, where `--timeout` does not say.
  let patience: UInt32

  static let services = DaemonUse(variable: "KIST_ENDPOINT", usual: .services, patience: 10)
  static let operators = DaemonUse(variable: "KIST_ADMIN_ENDPOINT", usual: .operators, patience: 10)
  /// For requests that take the daemon long: a passphrase, every key of a store, keys from elsewhere.
  static let patientOperators = DaemonUse(variable: "KIST_ADMIN_ENDPOINT", usual: .operators, patience: 120)

  static let options: [Option] = [.socket, .timeout]
  static let patienceRange: ClosedRange<UInt32> = 1...86_400
}
