internal import Audit
internal import Configuration
internal import Format
internal import Review

/// The requests of a log, for replays.
struct RecordedTraffic {
  let directory: String
  private let since: Timestamp?

  static let options: [Option] = [.value("log"), .value("since")]

  init(_ arguments: Arguments) throws(CommandFailure) {
    directory = arguments.value("log") ?? UsualPlaces.auditLog
    since = try arguments.time("since")
    try Hardening.prepareForPublicData()
    try AuditDirectory.requireLog(directory)
  }

  /// Visits every request that policy decided; callers' groups are those of this host.
  func forEach(_ visit: (RecordedRequest) -> Void) throws(CommandFailure) {
    let callers = RecordedCallers(.system)
    do throws(AuditError) {
      try LogReader(LogDirectory(reading: directory)).forEachRecord(since: since ?? Timestamp(seconds: 0)) { record, _ in
        if let request = RecordedRequest(record, callers) { visit(request) }
        return true
      }
    } catch { throw .audit(error, directory) }
  }
}
