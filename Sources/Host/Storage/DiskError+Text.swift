import Glibc

package enum SystemError {
  /// Such as `No such file or directory`.
  package static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

extension DiskError {
  /// What is wrong with a file, in words that follow its name.
  package var text: String {
    switch self {
    case .damaged: "a compressed segment is cut short or damaged; see kist audit verify"
    case .notInstalled:
      "segments are compressed, and there is no /usr/bin/zstd: install Debian's zstd"
    case .notRegular: "not a regular file"
    case .link: "a symbolic link, which is not followed here"
    default: SystemError.text(errno)
    }
  }
}

extension StorageError {
  /// What is wrong with a file, in words that follow its name.
  package var text: String {
    switch self {
    case .disk(let error): error.text
    case .tooLarge: "too large"
    case .unstable: "it changed while it was read"
    case .exhausted: "no memory for secrets is left"
    }
  }
}
