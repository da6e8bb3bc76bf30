internal import KistClient

/// The daemon's socket that a command uses, and how long it waits there; every such command takes `--socket` and `--timeout`.
struct DaemonUse: Sendable {
  /// The environment variable that names the socket.
  let variable: String
  /// The default socket.
  let usual: Endpoint
  /// The default of `--timeout`: how many seconds connecting and each request may take.
  let patience: UInt32
  /// The socket for people who may not connect to the usual one.
  var other: Endpoint?

  static let services = DaemonUse(variable: "KIST_ENDPOINT", usual: .services, patience: 10)
  /// For requests that both sockets serve, and each role may make.
  static let everybody = DaemonUse(variable: "KIST_ENDPOINT", usual: .services, patience: 10, other: .operators)
  static let operators = DaemonUse(variable: "KIST_ADMIN_ENDPOINT", usual: .operators, patience: 10)
  /// For requests that take the daemon long: a passphrase, all keys of a store, imported keys.
  static let patientOperators = DaemonUse(variable: "KIST_ADMIN_ENDPOINT", usual: .operators, patience: 120)

  static let options: [Option] = [.socket, .timeout]
  static let patienceRange: ClosedRange<UInt32> = 1...86_400
}
