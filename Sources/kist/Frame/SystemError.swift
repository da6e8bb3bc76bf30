internal import Glibc

enum SystemError {
  /// Such as `No such file or directory`.
  static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
