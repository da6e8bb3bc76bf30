import CLinux
import Glibc
import Host
import Policy

/// The last step before a daemon accepts: the kernel takes away every right that serving does not
/// need.
///
/// Both halves apply to this thread and those that it starts, so no other thread may run yet.
enum Confinement {
  /// - Parameters:
  ///   - directory: where kistd hands over what a reload takes.
  ///   - asksForProcess: whether a caller's control group is to be read, which names its unit.
  ///   - sockets: our socket files, which are removed at the end.
  static func apply(
    _ configuration: DaemonConfiguration, runtime directory: String, asksForProcess: Bool,
    sockets: [String]
  ) throws(StartFailure) {
    let process = configuration.process
    guard process.seccomp || process.landlock else { return }
    guard isSingleThreaded else {
      throw StartFailure(.software, "another thread runs before the process is confined")
    }
    // Landlock first: the system call filter forbids its calls.
    if process.landlock {
      try confineFiles(places(configuration, directory, asksForProcess, sockets))
    }
    if process.seccomp { try filterCalls() }
  }

  /// State, log and backups are written; what kistd hands over is read.
  private static func places(
    _ configuration: DaemonConfiguration, _ runtime: String, _ asksForProcess: Bool,
    _ sockets: [String]
  ) -> Landlock {
    var places = Landlock()
    for directory in [configuration.stateDirectory, configuration.audit.directory]
      + (configuration.backup.directory.map { [$0] } ?? [])
    {
      places.allow(directory, [.read, .list, .keep])
    }
    places.allow(runtime, .read)
    if asksForProcess { places.allow("/proc", .read) }
    for socket in sockets { places.allow(parent(of: socket), .removeFiles) }
    return places
  }

  private static func confineFiles(_ places: Landlock) throws(StartFailure) {
    do throws(Landlock.Failure) { try places.confine() } catch {
      switch error {
      case .unsupported:
        throw StartFailure(
          .osError,
          "process.landlock: this kernel has no landlock; boot Linux 5.13 or later with lsm=landlock,…, or set process.landlock = false"
        )
      case .unreachable(let path, let number):
        throw StartFailure(
          .configuration,
          "process.landlock: \(path) cannot be opened: \(SystemError.text(number)); it must be there when the daemon starts"
        )
      case .refused(let number):
        throw StartFailure(
          .osError,
          "process.landlock: the kernel refused the rules: \(SystemError.text(number)); set process.landlock = false to run without"
        )
      }
    }
  }

  private static func filterCalls() throws(StartFailure) {
    do throws(SystemCallFilter.Failure) { try SystemCallFilter.load() } catch {
      switch error {
      case .unsupported:
        throw StartFailure(
          .osError,
          "process.seccomp: this kernel takes no system call filter; use one with CONFIG_SECCOMP_FILTER, or set process.seccomp = false"
        )
      case .refused(let number):
        throw StartFailure(
          .osError,
          "process.seccomp: the kernel refused the filter: \(SystemError.text(number)); set process.seccomp = false to run without"
        )
      }
    }
    guard SystemCallFilter.mode == 2 else {
      throw StartFailure(
        .osError,
        "process.seccomp: the filter is not in force; set process.seccomp = false to run without")
    }
  }

  private static var isSingleThreaded: Bool { ProcStatus().number("Threads") == 1 }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// A list of the only places that the process may open once `confine` has run, enforced by the
/// kernel's Landlock.
struct Landlock: Sendable {
  enum Failure: Error, Equatable {
    /// The kernel has no Landlock, or was booted without it.
    case unsupported
    /// A path that cannot be opened, and the error number.
    case unreachable(String, Int32)
    case refused(Int32)
  }

  struct Use: OptionSet, Sendable {
    let rawValue: UInt32
    init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ access: kist_landlock_access) { rawValue = access.rawValue }

    static let read = Use(KIST_LANDLOCK_READ)
    static let list = Use(KIST_LANDLOCK_LIST)
    /// Make, write, truncate and remove files; make directories.
    static let keep = Use(KIST_LANDLOCK_KEEP)
    static let removeFiles = Use(KIST_LANDLOCK_REMOVE_FILE)
  }

  /// A use covers everything below its path.
  private var places: [(path: String, use: Use)] = []

  init() {}

  mutating func allow(_ path: String, _ use: Use) { places.append((path, use)) }

  /// The version of the kernel's Landlock; nil if it has none.
  static var version: Int32? {
    let version = kist_landlock_version()
    return version >= 1 ? version : nil
  }

  /// Forbids everything else to this thread and all that it will start; cannot be undone.
  ///
  /// `PR_SET_NO_NEW_PRIVS` must be set. Also forbids TCP, and signals and abstract sockets of other
  /// processes if the kernel supports that.
  func confine() throws(Failure) {
    guard let version = Self.version else { throw .unsupported }
    let rules = kist_landlock_create(version)
    guard rules >= 0 else { throw .refused(errno) }
    defer { close(rules) }
    for place in places {
      guard unsafe kist_landlock_allow(rules, version, place.path, Int32(place.use.rawValue)) == 0
      else { throw .unreachable(place.path, errno) }
    }
    guard kist_landlock_restrict(rules) == 0 else { throw .refused(errno) }
  }
}
