import Glibc
import Host
import Policy

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

  private static func listener(_ name: String, _ socket: SocketConfiguration) throws(StartFailure)
    -> Listener
  {
    do throws(Listener.Failure) {
      if let descriptor = Activation.descriptor(named: name) {
        return try Listener(adopting: descriptor)
      }
      return try Listener.bind(
        path: socket.path, owner: socket.owner?.id, group: socket.group?.id, mode: socket.mode)
    } catch {
      switch error {
      case .inUse:
        throw StartFailure(
          .unavailable, "\(socket.path): another daemon answers there; stop it first")
      case .system(let call, let number):
        throw StartFailure(
          .cannotCreate,
          "\(socket.path): \(call) failed: \(SystemError.text(number)); its directory must exist and be writable"
        )
      }
    }
  }
}

/// Socket activation: descriptors from the service manager by the `sd_listen_fds(3)` protocol,
/// named `kist`, `admin` and `claims`.
enum Activation {
  /// The descriptor handed over under this name, or nil.
  static func descriptor(named name: String) -> Int32? {
    guard variable("LISTEN_PID").flatMap({ Int32($0) }) == getpid(),
      let count = variable("LISTEN_FDS").flatMap({ Int32($0) }), count > 0
    else { return nil }
    let names =
      variable("LISTEN_FDNAMES")?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    guard let index = names.firstIndex(where: { $0 == name }), index < Int(count) else {
      return nil
    }
    let descriptor = firstDescriptor + Int32(index)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  private static let firstDescriptor: Int32 = 3

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
