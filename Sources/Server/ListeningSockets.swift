internal import Host
internal import Policy

/// The sockets, bound here or handed over by the service manager.
struct ListeningSockets: ~Copyable {
  let services: Listener
  let operators: Listener
  /// For kist-claimd, of a host in a fleet.
  let claims: Listener?

  init(_ configuration: DaemonConfiguration) throws(StartFailure) {
    let services = try Self.listener("kist", configuration.service)
    let operators = try Self.listener("admin", configuration.admin)
    claims = try Self.claims(configuration.fleet)
    self.operators = operators
    self.services = services
  }

  /// The socket files to remove at the end.
  var paths: [String] { [services.path, operators.path, claimsPath].compactMap { $0 } }

  private static func claims(_ fleet: FleetConfiguration?) throws(StartFailure) -> Listener? {
    guard let fleet else { return nil }
    return try listener("claims", SocketConfiguration(fleet.socket, owner: fleet.user, mode: 0o600))
  }

  private var claimsPath: String? {
    switch claims {
    case .some(let listener): listener.path
    case nil: nil
    }
  }

  private static func listener(_ name: String, _ socket: SocketConfiguration) throws(StartFailure) -> Listener {
    do throws(Listener.Failure) {
      if let descriptor = Activation.descriptor(named: name) { return try Listener(adopting: descriptor) }
      return try Listener.bind(path: socket.path, owner: socket.owner?.id, group: socket.group?.id, mode: socket.mode)
    } catch {
      switch error {
      case .inUse: throw StartFailure(.unavailable, "\(socket.path): another daemon answers there; stop it first")
      case .system(let call, let number):
        throw StartFailure(.cannotCreate, "\(socket.path): \(call) failed: \(SystemError.text(number)); its directory must exist and be writable")
      }
    }
  }
}
