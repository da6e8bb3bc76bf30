import Configuration
import Glibc
import Host

/// What the program does once its arguments are read.
enum Program {
  static func check(configuration path: String) -> ExitCode {
    load(path).map { _ in
      Diagnostics.writeLine("kist-claimd: \(path) is valid")
      return .ok
    } ?? .configuration
  }

  static func makePartitions(configuration path: String) -> ExitCode {
    guard let configuration = load(path) else { return .configuration }
    guard let partitions = configuration.partitions else {
      Diagnostics.writeLine("kist-claimd: \(path) has no [partitions]")
      return .configuration
    }
    do throws(StoreFailure) {
      let change = try Partitions.make(
        partitions.connection, ahead: partitions.ahead, keep: partitions.keep)
      Diagnostics.write(
        .info, "partitions", [("made", String(change.made)), ("dropped", String(change.dropped))])
      return .ok
    } catch {
      Diagnostics.writeLine("kist-claimd: no partitions were made: \(error.description)")
      return .unavailable
    }
  }

  static func run(configuration path: String) -> ExitCode {
    guard let configuration = load(path) else { return .configuration }
    Signals.block()
    let desk = ClaimDesk()
    let report = StoreReport()
    let link = DaemonLink(configuration.socket, desk)
    let store = configuration.store
    let isStarted =
      Thread.start { link.run() }
      && Thread.start { StoreLoop(PostgreSQLStore(store), desk, report).run() }
    guard isStarted else { return .osError }
    supervise(desk, report, StatusFile(configuration.statusFile, on: LinuxDisk()))
    return .ok
  }

  /// Tells the service manager and the status file how it goes, until a signal says to stop.
  private static func supervise(_ desk: ClaimDesk, _ report: StoreReport, _ file: StatusFile) {
    let manager = ServiceManager()
    var told = report.line
    manager.tell(.ready(status: told))
    var isWritten = true
    while true {
      if report.line != told {
        told = report.line
        manager.tell(.status(told))
      }
      do throws(DiskError) {
        try file.write(report, hasPeer: desk.hasPeer)
        isWritten = true
      } catch {
        if isWritten { Diagnostics.write(.warning, "status-file", [("reason", error.text)]) }
        isWritten = false
      }
      switch Signals.next(within: 1) {
      case .stop:
        manager.tell(.stopping)
        return desk.stop()
      // There is nothing to reload: a restart costs nobody anything.
      case .reload, .accounts, nil: break
      }
    }
  }

  private static func load(_ path: String) -> ClaimdConfiguration? {
    let credentials = unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) }
    do throws(ConfigurationError) {
      return try ClaimdConfiguration.load(path, credentials: credentials)
    } catch {
      Diagnostics.writeLine("kist-claimd: \(error.description)")
      return nil
    }
  }
}
