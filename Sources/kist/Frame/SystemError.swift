internal import Glibc
internal import Storage

enum SystemError {
  /// Such as `No such file or directory`.
  static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

extension DiskError {
  var text: String {
    switch self {
    case .damaged: "a compressed segment is cut short or damaged; see kist audit verify"
    case .notInstalled: "segments are compressed, and there is no /usr/bin/zstd: install Debian's zstd"
    default: SystemError.text(errno)
    }
  }
}
