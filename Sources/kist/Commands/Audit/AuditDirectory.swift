internal import Audit
internal import AuditReview
internal import Evidence

/// A directory that has a log's segments, or an export of them.
enum AuditDirectory {
  /// Where the segments are: `log` of an export, or the directory itself.
  static func segments(_ path: String) -> String {
    let export = ExportDirectory(path)
    return export.isComplete ? export.logPath : path
  }
}

extension LogDirectory {
  /// A log or an export of one, with the segments that were compressed.
  init(reading path: String) { self.init(AuditDirectory.segments(path), on: ArchiveDisk()) }
}

extension LogText {
  /// A log or an export of one, with the segments that were compressed.
  init(reading path: String) { self.init(AuditDirectory.segments(path), on: ArchiveDisk()) }
}
