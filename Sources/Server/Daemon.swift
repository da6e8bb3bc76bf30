// Server: sockets, callers, confinement, start and stop: the only part of the daemon that meets the
// system.
// It knows who is calling, gives bytes to `Service` and sends what comes back.
// It must not decide on a request, nor touch a key.
// Called by kistd-keys.

import CLinux
import CSeccomp
import Crypto
import Format
import Glibc
package import Host
import KeyStore
import Operations
import Policy
import Service

/// The daemon, from what kistd has told it to its exit code.
package enum Daemon {
  /// Runs until SIGTERM and returns the exit code.
  ///
  /// - Parameters:
  ///   - descriptor: of the memory with the settings.
  ///   - isMoved: whether the key store may have been last opened on another machine.
  package static func run(settings descriptor: Int32, isMoved: Bool) -> ExitCode {
    // The service manager's socket is connected and the ledger opened first: a confined process can
    // do neither.
    let manager = ServiceManager()
    do throws(StartFailure) {
      return try start(LoadedSettings(descriptor: descriptor), manager, isMoved: isMoved)
        .runUntilStopped()
    } catch {
      manager.note(failedStart: error)
      return error.complain()
    }
  }

  /// The whole start-up, whose order matters: rights are dropped before hostile bytes are read,
  /// memory is protected before it holds secrets, and nothing is accepted before everything is
  /// checked.
  private static func start(_ loaded: LoadedSettings, _ manager: ServiceManager, isMoved: Bool)
    throws(StartFailure) -> RunningDaemon
  {
    let configuration = loaded.configuration
    let rules = try loaded.rules()
    let directory = LoadLedger.directory(beside: configuration.service.path)
    let ledger = LoadLedger(in: directory)

    // 1. What the kernel says of this process is asked later, when no file can be opened.
    ProcFile.open()

    // 2. One thread takes the signals; every thread started later inherits the mask.
    Signals.block()
    Thread.limitHeaps()

    // 3. No program that we could be tricked into executing gains rights; nobody may trace or dump
    //    us.
    try Hardening.restrictProcess()

    // 4. The arena and the stacks, while root's limits still apply; then OpenSSL, whose first call
    //    moves its heap there.
    try Hardening.installArena(configuration.memory)
    let limits = try Hardening.installStacks(configuration.limits, configuration.memory)
    try Hardening.raiseDescriptorLimit(for: limits)

    // 5. The sockets: their directory and owner may need root.
    let sockets = try ListeningSockets(configuration)

    // 6. Drop root. Changing the user makes a process dumpable again, so forbid that again.
    try Hardening.drop(to: configuration.process)
    try Hardening.restrictProcess()

    // 7. Every primitive passes its self-test.
    try Hardening.selfTest()

    // 8. The key store, locked. A credential opens it, and with it the audit log, which can take
    //    long: the service manager hears of progress.
    let connections = ConnectionCaps(limits)
    let timer = TimerThread()
    let identity = IdentityInForce(loaded.identity, nanoseconds: { kist_monotonic_nanoseconds() })
    let line = configuration.fleet.flatMap { fleet in
      HostName(fleet.host).map { ClaimsLine(host: $0, timeout: fleet.timeout.milliseconds) }
    }
    let service = try SecretStack.run { () throws(StartFailure) in
      try ServiceAssembly.make(
        configuration, rules, connections, manager, timer, line, identity, isMoved: isMoved)
    }

    // 9. From here on, only accept, read, write and the state and log directories are allowed.
    try Confinement.apply(
      configuration, runtime: directory, asksForProcess: loaded.asksForProcess,
      sockets: sockets.paths)

    // 10. Accept.
    return try RunningDaemon(
      loaded, directory, identity, manager, ledger, service, sockets, line, connections, timer)
  }
}

extension Daemon {
  /// The program's version, its compiler's and its libraries', one per line.
  package static var versions: String {
    let libraries =
      (CryptoBackend.libraries + [seccomp, libc]).map(\.line) + [
        "compiled by \(unsafe String(cString: kist_compiler_version()))"
      ]
    return (["kistd \(ProductVersion.text)"] + libraries).map { $0 + "\n" }.joined()
  }

  private static var seccomp: LibraryVersion {
    let loaded = unsafe seccomp_version().pointee
    return LibraryVersion(
      "libseccomp", compiled: "\(SCMP_VER_MAJOR).\(SCMP_VER_MINOR).\(SCMP_VER_MICRO)",
      loaded: "\(loaded.major).\(loaded.minor).\(loaded.micro)")
  }

  private static var libc: LibraryVersion {
    LibraryVersion(
      "glibc", compiled: "\(__GLIBC__).\(__GLIBC_MINOR__)",
      loaded: unsafe String(cString: kist_libc_version()))
  }
}

extension LibraryVersion {
  fileprivate var line: String { "\(name) \(loaded), compiled for \(compiled)" }
}
