import Configuration
import Format
import Glibc
import Host
import Policy

/// What kistd reads, and what it puts down for a daemon that runs.
enum Handover {
  /// All files; whether a daemon would start with them is kept where monitoring finds it, if the
  /// service manager names a place.
  static func read(_ path: String) throws(StartFailure) -> SettingsFrame {
    let ledger = LoadLedger(LastLoad.nextStart)
    do throws(StartFailure) {
      let frame = try SettingsFrame.read(path)
      ledger?.note(refusal: nil)
      return frame
    } catch {
      ledger?.note(refusal: error.message)
      throw error
    }
  }

  /// Has the daemon take configuration, policy and accounts, and waits until it has said how that
  /// went.
  static func reload(_ process: Int32, _ path: String, _ manager: ServiceManager)
    throws(StartFailure)
  {
    let frame: SettingsFrame
    do throws(StartFailure) { frame = try read(path) } catch {
      // The daemon does not hear of it.
      manager.tell(.status("reload refused: \(error.message)"))
      LoadLedger()?.note(refusal: error.message)
      throw error
    }
    let directory = LoadLedger.directory(beside: frame.configuration.service.path)
    let before = LastLoad(in: directory)
    try put(frame, SettingsFrame.fileName, in: directory, frame.configuration)
    defer { forget(frame.configuration) }
    guard kill(process, SIGHUP) == 0 else {
      throw StartFailure(
        .unavailable, "no process \(process) to reload: \(SystemError.text(errno))")
    }
    for _ in 0..<patience {
      usleep(stepMicroseconds)
      guard let now = LastLoad(in: directory), now.count != before?.count else { continue }
      guard let refusal = now.refusal else { return }
      throw StartFailure(
        .configuration, "\(refusal); the old configuration and policy stay in force")
    }
    throw StartFailure(
      .unavailable, "the daemon has not said within a minute how the reload went; see its log")
  }

  /// What was put down is taken once: a signal alone would bring it back after the files, or who is
  /// who, have changed.
  static func forget(_ configuration: DaemonConfiguration) {
    unsafe unlink(
      LoadLedger.directory(beside: configuration.service.path) + "/" + SettingsFrame.fileName)
  }

  /// Puts down who is who, and nothing else: the policy in force stays as it was.
  static func accounts(_ path: String) throws(StartFailure) {
    let (configuration, table): (DaemonConfiguration, AccountTable)
    do throws(ConfigurationError) {
      (configuration, table) = (try .load(path), try .told(.system))
    } catch { throw StartFailure(error) }
    try put(
      table, AccountTable.fileName, in: LoadLedger.directory(beside: configuration.service.path),
      configuration)
  }

  private static func put(
    _ message: some Message, _ name: String, in directory: String,
    _ configuration: DaemonConfiguration
  ) throws(StartFailure) {
    let bytes = try message.bytes()
    do throws(DiskError) {
      try DurableFile.replace(name, in: directory, with: bytes.span, on: LinuxDisk())
    } catch {
      throw StartFailure(.cannotCreate, "\(directory)/\(name): \(error.text)")
    }
    // What root writes is for the user whom the daemon becomes, or to whom the directory belongs.
    var owner = stat()
    guard geteuid() == 0, unsafe stat(directory, &owner) == 0 else { return }
    unsafe chown(
      directory + "/" + name, configuration.process.user?.id ?? owner.st_uid, owner.st_gid)
  }

  private static let stepMicroseconds: UInt32 = 20_000
  /// In steps: one minute.
  private static let patience = 3_000
}
