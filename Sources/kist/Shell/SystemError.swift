internal import Glibc
internal import Storage

enum SystemError {
  /// Such as `No such file or directory`.
  static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

extension CommandFailure {
  /// Damage is no want of permission: it is a finding.
  static func unreadable(_ path: String, _ error: DiskError) -> CommandFailure {
    CommandFailure(code: error == .damaged ? 1 : noInput, "\(path): \(error.text)")
  }
}

extension DiskError {
  var text: String {
    switch self {
    case .damaged: "a compressed segment is cut short or damaged; see kist audit verify"
    case .notInstalled: "segments are compressed, and there is no /usr/bin/zstd: install Debian's zstd"
    case .notRegular: "not a regular file"
    case .link: "a symbolic link, which is not followed here"
    default: SystemError.text(errno)
    }
  }
}
