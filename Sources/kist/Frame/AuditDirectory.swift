internal import Audit
internal import AuditReview
internal import Evidence

/// Where kistd keeps its log if the configuration does not say otherwise.
enum AuditDirectory {
  static let usual = "/var/log/kist/audit"
}

extension LogDirectory {
  /// With the segments that were compressed.
  init(reading path: String) { self.init(path, on: ArchiveDisk()) }
}

extension LogText {
  /// With the segments that were compressed.
  init(reading path: String) { self.init(path, on: ArchiveDisk()) }
}
