import Glibc

/// Files on which the daemon's security rests: only root and the daemon's user may change them or
/// any directory above them.
package enum TrustedPath {
  /// Checks each directory from the root to the file, and the targets of links.
  ///
  /// In a sticky directory, such as /tmp, only a file's owner may replace it.
  ///
  /// - Parameter user: a user who may change it besides root and this process's user.
  package static func check(_ path: String, changedBy user: UInt32? = nil)
    throws(ConfigurationError)
  {
    let trusted = Set([0, geteuid()] + (user.map { [$0] } ?? []))
    try check("/", isLast: false, trusted)
    var directory = ""
    var links = 0
    var rest = Array(segments(try absolute(path)).reversed())
    while let name = rest.popLast() {
      guard name != ".." else {
        directory = String(directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)])
        continue
      }
      let place = directory + "/" + name
      guard let target = try check(place, isLast: rest.isEmpty, trusted) else {
        directory = place
        continue
      }
      links += 1
      guard links <= maximumLinks else { throw refusal(place, ELOOP) }
      if target.hasPrefix("/") { directory = "" }
      rest += segments(target).reversed()
    }
  }

  /// The kernel's own limit.
  private static let maximumLinks = 40

  /// - Returns: where a symbolic link leads; nil for anything else.
  @discardableResult
  private static func check(_ place: String, isLast: Bool, _ trusted: Set<UInt32>)
    throws(ConfigurationError) -> String?
  {
    var status = stat()
    guard unsafe lstat(place, &status) == 0 else { throw refusal(place, errno) }
    guard trusted.contains(status.st_uid) else {
      throw ConfigurationError(
        file: place,
        "belongs to user \(status.st_uid), who may change it; expected root or the daemon's user")
    }
    switch status.st_mode & S_IFMT {
    case S_IFLNK: return try target(of: place)
    case S_IFDIR where !isLast && status.st_mode & S_ISVTX != 0: return nil
    default:
      guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
        throw ConfigurationError(
          file: place, "others than its owner may write to it; remove that permission (chmod go-w)")
      }
      return nil
    }
  }

  private static func target(of link: String) throws(ConfigurationError) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(link, &bytes, bytes.count)
    guard count > 0 else { throw refusal(link, errno) }
    guard count < bytes.count else { throw refusal(link, ENAMETOOLONG) }
    return String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Without "." and empty segments.
  private static func segments(_ path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }
  }

  /// The absolute path; a relative one is resolved against the working directory.
  package static func absolute(_ path: String) throws(ConfigurationError) -> String {
    guard !path.hasPrefix("/") else { return path }
    guard let here = unsafe getcwd(nil, 0) else { throw refusal(path, errno) }
    defer { unsafe free(here) }
    return unsafe String(cString: here) + "/" + path
  }

  private static func refusal(_ path: String, _ code: Int32) -> ConfigurationError {
    TextFile.refusal(path, code)
  }
}
