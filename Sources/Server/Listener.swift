import CLinux
import Glibc
import Host
import Policy

/// A Unix socket that accepts connections.
package struct Listener: ~Copyable, Sendable {
  let descriptor: Int32
  /// The socket file to remove at the end; nil if the service manager owns the socket.
  let path: String?
  /// A pipe that `stop` writes to. Shutting the socket down instead would end it for the service
  /// manager, too, and for the next daemon.
  private let stopping: (reader: Int32, writer: Int32)

  package enum Failure: Error, Hashable {
    /// Another daemon already answers at this path.
    case inUse
    case system(call: String, errno: Int32)
  }

  /// Adopts a socket that the service manager handed over.
  init(adopting descriptor: Int32) throws(Failure) { try self.init(descriptor, path: nil) }

  /// Binds `path` with this owner, group and mode; a stale socket file, at which nobody answers, is
  /// replaced.
  ///
  /// - Parameters:
  ///   - owner: left unchanged if nil, and likewise the group.
  ///   - mode: permission bits.
  package static func bind(path: String, owner: UInt32?, group: UInt32?, mode: UInt32)
    throws(Failure) -> Listener
  {
    try removeStale(path)
    let listener = try Listener(bound(path), path: path)
    // Root must not give away a file that somebody put in the socket's place.
    guard unsafe kist_give_socket(path, owner ?? UInt32.max, group ?? UInt32.max, mode) == 0 else {
      throw .system(call: "giving the socket to its owner", errno: errno)
    }
    guard listen(listener.descriptor, 128) == 0 else { throw .system(call: "listen", errno: errno) }
    return listener
  }

  private init(_ descriptor: Int32, path: String?) throws(Failure) {
    var ends: [Int32] = [-1, -1]
    let made = unsafe pipe(&ends)
    self.descriptor = descriptor
    self.path = path
    stopping = (ends[0], ends[1])
    guard made == 0 else { throw .system(call: "pipe", errno: errno) }
    _ = kist_refuse_descriptors(descriptor)
    // Another process may take the connection that `poll` told of: an accept that waited for the
    // next one would not see `stop`.
    guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0 else {
      throw .system(call: "fcntl", errno: errno)
    }
  }

  deinit {
    close(descriptor)
    close(stopping.reader)
    close(stopping.writer)
    if let path { unsafe unlink(path) }
  }

  enum Arrival {
    /// Descriptors may wait in it unread.
    case connection(Int32, mayCarry: Bool)
    case stopped
    case failed(errno: Int32)
  }

  /// Gives `serve` each connection, and whether it may carry descriptors, until `stop`.
  ///
  /// - Parameter name: for the person on call, who is told once when no descriptors are left;
  ///   connections that there are go on.
  func run(_ name: String, _ serve: (Int32, Bool) -> Void) {
    var isTold = false
    while true {
      switch next() {
      case .connection(let socket, let mayCarry):
        isTold = false
        serve(socket, mayCarry)
      case .failed(EINTR), .failed(EAGAIN), .failed(ECONNABORTED): continue
      case .failed(EMFILE), .failed(ENFILE), .failed(ENOBUFS), .failed(ENOMEM):
        if !isTold { Diagnostics.write(.error, "descriptors-exhausted", [("socket", name)]) }
        isTold = true
        usleep(50_000)
      case .stopped, .failed: return
      }
    }
  }

  /// Waits for a connection, or for `stop`.
  func next() -> Arrival {
    var waited = [
      pollfd(fd: stopping.reader, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    guard unsafe poll(&waited, 2, -1) > 0 else { return .failed(errno: errno) }
    guard waited[0].revents == 0 else { return .stopped }
    let socket = kist_accept(descriptor)
    return socket < 0
      ? .failed(errno: errno) : .connection(socket, mayCarry: kist_refuse_descriptors(socket) != 0)
  }

  /// Ends this and every later `next`; who waits to be accepted goes on waiting for the next
  /// daemon, if the service manager has the socket.
  package func stop() { _ = unsafe write(stopping.writer, [0], 1) }

  private static func bound(_ path: String) throws(Failure) -> Int32 {
    let descriptor = kist_unix_socket()
    guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
    // Nobody may connect before owner and mode are set.
    let mask = umask(0o777)
    let bound = unsafe kist_bind_unix(descriptor, path)
    let bindError = errno
    umask(mask)
    guard bound == 0 else {
      close(descriptor)
      throw .system(call: "bind", errno: bindError)
    }
    return descriptor
  }

  private static func removeStale(_ path: String) throws(Failure) {
    let probe = kist_unix_socket()
    guard probe >= 0 else { throw .system(call: "socket", errno: errno) }
    defer { close(probe) }
    guard unsafe kist_connect_unix(probe, path) != 0 else { throw .inUse }
    if errno == ECONNREFUSED { unsafe unlink(path) }
  }
}

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
