internal import Audit
internal import Format
internal import Host
internal import Policy
internal import Review

/// Whether the log is there, is this daemon's, and has lost nothing at its end; `kist audit verify` checks all of it.
let logChecks: [CheckUp.Check] = [checkEnd, checkClockOfLog]

@Sendable private func checkEnd(_ host: Host) -> [Finding] {
  guard let configuration = try? host.written.get() else { return [] }
  let (path, kept) = (configuration.audit.directory, configuration.stateDirectory + "/audit.checkpoint")
  // Read before the log, which may grow meanwhile.
  let anchor = host.surroundings.text(kept).flatMap { try? SignedCheckpoint(parsing: Array($0.utf8).span).checkpoint }
  let newest: SignedCheckpoint?
  do throws(AuditError) { newest = try host.log.newestCheckpoint() } catch { return [.unreadableLog(path, error)].compactMap { $0 } }
  guard let newest = newest?.checkpoint else {
    guard let anchor else { return [] }
    return [
      Finding(
        .logMissing, path, "There is no log, and \(kept) knows of \(anchor.head.size) records.",
        cure: "Put the log back; if it is lost, see 'Coming back from a backup' in UNLOCK.md, and ask first who removed it.")
    ]
  }
  if newest.origin != configuration.audit.origin {
    return [
      Finding(
        .logOrigin, path, "The log is that of \(newest.origin), and kist.toml names \(configuration.audit.origin).",
        cure: "Put audit.origin back to \(newest.origin), or audit.directory to this daemon's own log.")
    ]
  }
  return ([anchor].compactMap { $0 } + host.surroundings.checkpoints.map(\.content.checkpoint)).filter { $0.head.size > newest.head.size }.map { known in
    Finding(
      .logCut, path, "The log has \(newest.head.size) records, and a checkpoint of it says that there were \(known.head.size).",
      cure: "Somebody cut it: keep everything as it is, and treat it as an incident (OPERATE.md).")
  }
}

/// A clock that goes back is seen by the log, whose records only come later.
@Sendable private func checkClockOfLog(_ host: Host) -> [Finding] {
  guard let last = host.lastRecord(where: { _ in true }), last.time > host.surroundings.now.adding(seconds: 60) else { return [] }
  return [
    Finding(
      .clockBehindLog, "", "The clock says \(host.surroundings.now.wholeSeconds), and the log's last record is of \(last.time.wholeSeconds).",
      cure: "Correct the clock: timedatectl; tokens are refused while it is wrong.")
  ]
}

extension Finding {
  /// Nil if there is no directory, which is a finding already.
  fileprivate static func unreadableLog(_ path: String, _ error: AuditError) -> Finding? {
    if case .disk(let disk) = error {
      if disk.isAbsence { return nil }
      if disk.isDenied { return Finding(.notExamined, path, "You may not read the audit log.", cure: "Run kist doctor as root, or as an auditor.") }
    }
    return Finding(.logUnreadable, path, "The log cannot be read: \(error.text).", cure: "See what kist audit verify says, and mend the disk.")
  }
}
