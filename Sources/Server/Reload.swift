internal import Configuration
internal import Glibc
internal import Storage
internal import Supervision

/// `kistd --reload`: has a running daemon reload, and waits until it has said how that went.
enum Reload {
  /// - Parameter process: the daemon's process id.
  static func run(_ process: Int32) throws(StartFailure) {
    guard let directory = LoadLedger.directory else {
      throw StartFailure(.usage, "--reload is for the unit's ExecReload=, which sets $RUNTIME_DIRECTORY; elsewhere send SIGHUP and see the log")
    }
    let before = LastLoad(in: directory)
    guard kill(process, SIGHUP) == 0 else { throw StartFailure(.unavailable, "no process \(process) to reload: \(SystemError.text(errno))") }
    for _ in 0..<patience {
      usleep(stepMicroseconds)
      guard let now = LastLoad(in: directory), now.count != before?.count else { continue }
      guard let refusal = now.refusal else { return }
      throw StartFailure(.configuration, "\(refusal); the old configuration and policy stay in force")
    }
    throw StartFailure(.unavailable, "the daemon has not said within a minute how the reload went; see its log")
  }

  private static let stepMicroseconds: UInt32 = 20_000
  /// In steps: one minute.
  private static let patience = 3_000
}
