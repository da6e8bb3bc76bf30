internal import Glibc

/// Who owns a path, and who else could change it.
enum OwnPath {
  static func isOwn(_ path: String) -> Bool { status(path)?.st_uid == geteuid() }

  /// Whether a directory is not this user's, or others can write to it or change the path to it.
  ///
  /// A sticky directory such as `/tmp` is safe on the path to something that root or this user owns.
  static func isExposed(_ path: String) -> Bool {
    guard let real = unsafe realpath(path, nil) else { return true }
    defer { unsafe free(real) }
    var place = unsafe String(cString: real)
    guard isOwn(place) else { return true }
    var isSafeInSticky = false
    while let status = status(place) {
      guard status.st_uid == 0 || status.st_uid == geteuid() else { return true }
      let isWritable = status.st_mode & (S_IWGRP | S_IWOTH) != 0
      guard !isWritable || isSafeInSticky && status.st_mode & S_ISVTX != 0 else { return true }
      guard place != "/", let slash = place.lastIndex(of: "/") else { return false }
      place = slash == place.startIndex ? "/" : String(place[..<slash])
      isSafeInSticky = true
    }
    return true
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }
}
