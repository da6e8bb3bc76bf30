// Server: sockets, callers, confinement, start and stop: the only part of the daemon that meets the system.
// It knows who is calling, gives bytes to `Service` and sends what comes back.
// It must not decide on a request, nor touch a key.

internal import CLinux
internal import Configuration
internal import CryptoBackend
internal import Encoding
internal import Glibc
internal import KeyStore
internal import Operations
internal import Policy
internal import Service
package import Supervision
internal import Threads

/// `kistd`, from its arguments to its exit code.
package enum Daemon {
  package static let defaultConfiguration = DaemonConfiguration.defaultPath

  /// Checks the configuration and the policy, and does nothing else.
  package static func check(configuration path: String) -> ExitCode {
    do throws(StartFailure) {
      _ = try LoadedConfiguration(path, .system)
      return .ok
    } catch { return complain(error) }
  }

  /// Has a running daemon reload, and waits until it has said how that went.
  package static func reload(_ process: Int32) -> ExitCode {
    do throws(StartFailure) {
      try Reload.run(process)
      return .ok
    } catch { return complain(error) }
  }

  /// Runs until SIGTERM and returns the exit code.
  ///
  /// - Parameter isMoved: whether the key store may have been last opened on another machine.
  package static func run(configuration path: String, isMoved: Bool) -> ExitCode {
    // The service manager's socket is connected and the ledger opened first: a confined process can do neither.
    let (manager, ledger) = (ServiceManager(), LoadLedger())
    do throws(StartFailure) {
      return try start(path, manager, ledger, isMoved: isMoved).runUntilStopped()
    } catch {
      manager.tell(.status(error.message))
      ledger.note(refusal: error.message)
      defer { if manager.isThere { sleep(secondsAfterFailedStart) } }
      return complain(error)
    }
  }

  /// The unit has a daemon that was killed replaced at once; what a mistake keeps from starting must not fill the journal meanwhile.
  private static let secondsAfterFailedStart: UInt32 = 2

  private static func complain(_ failure: StartFailure) -> ExitCode {
    Diagnostics.writeLine("kistd: \(failure.message)")
    return failure.code
  }

  /// The whole start-up, whose order matters: rights are dropped before hostile bytes are read, memory is protected before it
  /// holds secrets, and nothing is accepted before everything is checked.
  private static func start(_ path: String, _ manager: ServiceManager, _ ledger: LoadLedger, isMoved: Bool) throws(StartFailure) -> RunningDaemon {
    // After confinement the daemon cannot ask for its working directory.
    let absolutePath: String
    do throws(ConfigurationError) { absolutePath = try TrustedPath.absolute(path) } catch { throw StartFailure(error) }
    return try start(absolutePath: absolutePath, manager, ledger, isMoved: isMoved)
  }

  private static func start(
    absolutePath path: String, _ manager: ServiceManager, _ ledger: LoadLedger, isMoved: Bool
  ) throws(StartFailure) -> RunningDaemon {
    // 1. Read the configuration while there is nothing to lose yet; the accounts that NSS names are kept for later, when NSS cannot be asked.
    let memory = AccountMemory()
    let (loaded, accounts) = (try LoadedConfiguration(path, memory.learning(from: .system)), memory.recalling())
    let configuration = loaded.configuration

    // 2. One thread takes the signals; every thread started later inherits the mask.
    Signals.block()
    Thread.limitHeaps()

    // 3. No program that we could be tricked into executing gains rights; nobody may trace or dump us.
    try Hardening.restrictProcess()

    // 4. The arena and the stacks, while root's limits still apply; then OpenSSL, whose first call moves its heap there.
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

    // 8. The key store, locked. A credential opens it, and with it the audit log, which can take long: the service manager hears of progress.
    let (connections, timer) = (ConnectionCaps(limits), TimerThread())
    let line = configuration.fleet.map { ClaimsLine(host: $0.host, timeout: $0.timeout.milliseconds) }
    let service = try SecretStack.run { () throws(StartFailure) in
      try ServiceAssembly.make(loaded, accounts, connections, manager, timer, line, ledger, isMoved: isMoved)
    }

    // 9. From here on, only accept, read, write and the state and log directories are allowed.
    try Confinement.apply(configuration, path: path, sockets: sockets.paths)

    // 10. Accept.
    return try RunningDaemon(path, loaded, accounts, manager, ledger, service, sockets, line, connections, timer)
  }
}
