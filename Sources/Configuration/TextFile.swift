import Glibc
import Host

/// Reads what administrators write: small files that not everybody may change.
package enum TextFile {
  static let maximumByteCount = 1 << 20

  /// The bytes of a regular file of at most 1 MiB that not everybody may write to.
  package static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
    guard let text = try readIfPresent(path) else { throw refusal(path, ENOENT) }
    return text
  }

  /// The same, or nil if there is no such file.
  static func readIfPresent(_ path: String) throws(ConfigurationError) -> [UInt8]? {
    let descriptor: Int32
    do throws(DiskError) {
      // A link is the administrator's; where the daemon's rights rest on it, `TrustedPath` has
      // checked whose it is.
      descriptor = try LinuxDisk().open(path, .readFollowingLink)
    } catch {
      if error.isAbsence { return nil }
      throw error == .notRegular
        ? ConfigurationError(file: path, "not a regular file", isUnreadable: true)
        : refusal(path, error.errno)
    }
    defer { LinuxDisk().close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw refusal(path, errno) }
    guard status.st_mode & S_IWOTH == 0 else {
      throw ConfigurationError(file: path, "everybody may write to it; remove that permission")
    }
    guard status.st_size <= maximumByteCount else {
      throw ConfigurationError(file: path, "longer than 1 MiB")
    }
    return try contents(descriptor, path)
  }

  /// The names in a directory that end in `suffix` and do not start with a dot, in byte order.
  static func names(in directory: String, suffix: String) throws(ConfigurationError) -> [String] {
    do throws(DiskError) {
      let names = try LinuxDisk().list(directory).filter {
        $0.hasSuffix(suffix) && !$0.hasPrefix(".")
      }
      return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    } catch {
      throw refusal(directory, error.errno)
    }
  }

  /// Reads piece by piece, as files of /proc have no size and others may grow meanwhile.
  private static func contents(_ descriptor: Int32, _ path: String) throws(ConfigurationError)
    -> [UInt8]
  {
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let got = unsafe piece.withUnsafeMutableBytes { room in
        unsafe Glibc.read(descriptor, room.baseAddress, room.count)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw refusal(path, errno) }
      if got == 0 { return text }
      text += piece.prefix(got)
      guard text.count <= maximumByteCount else {
        throw ConfigurationError(file: path, "longer than 1 MiB")
      }
    }
  }

  static func refusal(_ path: String, _ code: Int32) -> ConfigurationError {
    ConfigurationError(
      file: path, "cannot be read: \(unsafe String(cString: strerror(code)))", isUnreadable: true)
  }
}
