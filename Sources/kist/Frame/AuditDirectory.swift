/// Where kistd keeps its log if the configuration does not say otherwise.
enum AuditDirectory {
  static let usual = "/var/log/kist/audit"
}
