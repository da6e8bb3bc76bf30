internal import Configuration
internal import Glibc
internal import Storage
internal import Supervision

/// The last step before a daemon accepts: the kernel takes away every right that serving does not need.
///
/// Both halves apply to this thread and those that it starts, so no other thread may run yet.
enum Confinement {
  /// - Parameters:
  ///   - path: the configuration file, which a reload reads again.
  ///   - sockets: our socket files, which are removed at the end.
  static func apply(_ configuration: DaemonConfiguration, path: String, sockets: [String]) throws(StartFailure) {
    let process = configuration.process
    guard process.seccomp || process.landlock else { return }
    guard isSingleThreaded else { throw StartFailure(.software, "another thread runs before the process is confined") }
    // Landlock first: the system call filter forbids its calls.
    if process.landlock { try confineFiles(places(configuration, path, sockets)) }
    if process.seccomp { try filterCalls() }
  }

  /// State, log and backups are written; configuration, policy and what identifies callers and accounts are read.
  private static func places(_ configuration: DaemonConfiguration, _ path: String, _ sockets: [String]) -> Landlock {
    var places = Landlock()
    for directory in [configuration.stateDirectory, configuration.audit.directory] + (configuration.backup.directory.map { [$0] } ?? []) {
      places.allow(directory, [.read, .list, .keep])
    }
    places.allow(parent(of: resolved(path)), .read)
    places.allow(configuration.policyDirectory, [.read, .list])
    // The accounts that a new policy names; tools replace these files, so the rule is on their directory.
    places.allow("/etc", .read)
    // A caller's control group names its unit.
    places.allow("/proc", .read)
    for socket in sockets { places.allow(parent(of: socket), .removeFiles) }
    return places
  }

  private static func confineFiles(_ places: Landlock) throws(StartFailure) {
    do throws(Landlock.Failure) { try places.confine() } catch {
      switch error {
      case .unsupported:
        throw StartFailure(
          .osError, "process.landlock: this kernel has no landlock; boot Linux 5.13 or later with lsm=landlock,…, or set process.landlock = false")
      case .unreachable(let path, let number):
        throw StartFailure(.configuration, "process.landlock: \(path) cannot be opened: \(SystemError.text(number)); it must be there when the daemon starts")
      case .refused(let number):
        throw StartFailure(.osError, "process.landlock: the kernel refused the rules: \(SystemError.text(number)); set process.landlock = false to run without")
      }
    }
  }

  private static func filterCalls() throws(StartFailure) {
    do throws(SystemCallFilter.Failure) { try SystemCallFilter.load() } catch {
      switch error {
      case .unsupported:
        throw StartFailure(
          .osError, "process.seccomp: this kernel takes no system call filter; use one with CONFIG_SECCOMP_FILTER, or set process.seccomp = false")
      case .refused(let number):
        throw StartFailure(.osError, "process.seccomp: the kernel refused the filter: \(SystemError.text(number)); set process.seccomp = false to run without")
      }
    }
    guard SystemCallFilter.mode == 2 else {
      throw StartFailure(.osError, "process.seccomp: the filter is not in force; set process.seccomp = false to run without")
    }
  }

  private static var isSingleThreaded: Bool { ProcStatus().number("Threads") == 1 }

  private static func resolved(_ path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
