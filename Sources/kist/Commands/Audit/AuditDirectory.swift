internal import Audit
internal import Review

/// A directory that has a log's segments, or an export of them.
enum AuditDirectory {
  /// Where the segments are: `log` of an export, or the directory itself.
  static func segments(_ path: String) -> String {
    let export = ExportDirectory(path)
    return export.isComplete ? export.logPath : path
  }

  /// - Throws: if there is no log at this path, which must not look like a log without records.
  static func requireLog(_ path: String) throws(CommandFailure) {
    let isAbsent: Bool
    do throws(AuditError) { isAbsent = try LogReader(LogDirectory(reading: path)).isAbsent } catch { throw .audit(error, path) }
    guard !isAbsent else { throw CommandFailure(code: CommandFailure.noInput, "\(path): there is no log") }
  }
}

extension LogDirectory {
  /// A log or an export of one, with the segments that were compressed.
  init(reading path: String) { self.init(AuditDirectory.segments(path), on: ProgressLine.disk(AuditDirectory.segments(path))) }
}

extension LogText {
  /// A log or an export of one, with the segments that were compressed.
  init(reading path: String) { self.init(AuditDirectory.segments(path), on: ProgressLine.disk(AuditDirectory.segments(path))) }
}
