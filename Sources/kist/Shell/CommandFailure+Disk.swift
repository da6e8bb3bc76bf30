internal import Host

extension CommandFailure {
  /// Damage is no want of permission: it is a finding.
  static func unreadable(_ path: String, _ error: DiskError) -> CommandFailure {
    CommandFailure(code: error == .damaged ? 1 : noInput, "\(path): \(error.text)")
  }
}
