import Audit
import Format
import Host
import Policy
import Review

/// Whether the log is there, is this daemon's, and has lost nothing at its end; `kist audit verify`
/// checks all of it.
let logChecks: [CheckUp.Check] = [checkEnd, checkClockOfLog]

@Sendable private func checkEnd(_ host: Host) -> [Finding] {
  guard let configuration = try? host.written.get() else { return [] }
  let path = configuration.audit.directory
  let kept = configuration.stateDirectory + "/audit.checkpoint"
  // Read before the log, which may grow meanwhile.
  let anchor = host.surroundings.text(kept).flatMap {
    try? SignedCheckpoint(parsing: Array($0.utf8).span).checkpoint
  }
  let newest: SignedCheckpoint?
  do throws(AuditError) { newest = try host.log.newestCheckpoint() } catch {
    return [.unreadableLog(path, error)].compactMap { $0 }
  }
  guard let newest = newest?.checkpoint else {
    guard let anchor else { return [] }
    return [
      Finding(
        .logMissing, path, "There is no log, and \(kept) knows of \(anchor.head.size) records.",
        cure:
          "Put the log back; if it is lost, see 'Coming back from a backup' in UNLOCK.md, and ask first who removed it."
      )
    ]
  }
  if newest.origin != configuration.audit.origin {
    return [
      Finding(
        .logOrigin, path,
        "The log is that of \(newest.origin), and kist.toml names \(configuration.audit.origin).",
        cure:
          "Put audit.origin back to \(newest.origin), or audit.directory to this daemon's own log.")
    ]
  }
  return ([anchor].compactMap { $0 } + host.surroundings.checkpoints.map(\.content.checkpoint))
    .filter { $0.head.size > newest.head.size }.map { known in
      Finding(
        .logCut, path,
        "The log has \(newest.head.size) records, and a checkpoint of it says that there were \(known.head.size).",
        cure: "Somebody cut it: keep everything as it is, and treat it as an incident (OPERATE.md)."
      )
    }
}

/// A clock that goes back is seen by the log, whose records only come later.
@Sendable private func checkClockOfLog(_ host: Host) -> [Finding] {
  guard let last = host.lastRecord(where: { _ in true }),
    last.time > host.surroundings.now.adding(seconds: 60)
  else { return [] }
  return [
    Finding(
      .clockBehindLog, "",
      "The clock says \(host.surroundings.now.wholeSeconds), and the log's last record is of \(last.time.wholeSeconds).",
      cure: "Correct the clock: timedatectl; tokens are refused while it is wrong.")
  ]
}

extension Finding {
  /// Nil if there is no directory, which is a finding already.
  fileprivate static func unreadableLog(_ path: String, _ error: AuditError) -> Finding? {
    if case .disk(let disk) = error {
      if disk.isAbsence { return nil }
      if disk.isDenied {
        return Finding(
          .notExamined, path, "You may not read the audit log.",
          cure: "Run kist doctor as root, or as an auditor.")
      }
    }
    return Finding(
      .logUnreadable, path, "The log cannot be read: \(error.text).",
      cure: "See what kist audit verify says, and mend the disk.")
  }
}

/// Whether another program would move or cut the audit log.
let rotationOfLogChecks: [CheckUp.Check] = [checkLogrotate]

/// Of logrotate(8): each of its patterns stands at the beginning of a block.
@Sendable private func checkLogrotate(_ host: Host) -> [Finding] {
  guard let log = host.configuration?.audit.directory else { return [] }
  let directory = "/etc/logrotate.d"
  let files =
    ["/etc/logrotate.conf"] + host.surroundings.names(in: directory).map { "\(directory)/\($0)" }
  return files.flatMap { file -> [Finding] in
    patterns(host.surroundings.text(file) ?? "").filter {
      covers($0[...], "\(log)/00000000000000000000.log"[...])
    }.map { pattern in
      Finding(
        .logRotated, file,
        "logrotate moves the log's segments by \(pattern), and the daemon stops where one is gone.",
        cure:
          "Take \(pattern) out: segments end by themselves, and kist audit compress makes old ones small."
      )
    }
  }
}

/// The paths outside of braces.
private func patterns(_ text: String) -> [String] {
  var patterns = [String]()
  var depth = 0
  for line in text.lines() where !line.drop(while: { $0 == " " || $0 == "\t" }).hasPrefix("#") {
    for word in line.replacing("{", with: " { ").split(whereSeparator: \.isWhitespace) {
      switch word {
      case "{": depth += 1
      case "}": depth -= 1
      case _ where depth == 0 && (word.hasPrefix("/") || word.hasPrefix("\"/")):
        patterns.append(String(word.filter { $0 != "\"" }))
      default: continue
      }
    }
  }
  return patterns
}

/// As glob(7) without brackets; a directory covers nothing in it.
private func covers(_ pattern: Substring, _ path: Substring) -> Bool {
  guard let first = pattern.first else { return path.isEmpty }
  if first == "*" {
    if covers(pattern.dropFirst(), path) { return true }
    guard let next = path.first, next != "/" else { return false }
    return covers(pattern, path.dropFirst())
  }
  guard let next = path.first, first == next || (first == "?" && next != "/") else { return false }
  return covers(pattern.dropFirst(), path.dropFirst())
}
