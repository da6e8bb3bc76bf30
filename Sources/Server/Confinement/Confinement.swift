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
