internal import Glibc
internal import Storage

/// Small files of /proc and /etc, read whole with one call.
enum ProcFile {
  private static let cap = 4096

  /// The text, or nil if it cannot be read or has `cap` bytes or more: a part of it might mean something else.
  static func read(_ path: String, cap: Int = cap) -> String? {
    // /etc/machine-id is a link on some systems, and so is /proc/self.
    guard let descriptor = try? LinuxDisk().open(path, .readFollowingLink) else { return nil }
    defer { LinuxDisk().close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: cap)
    var span = bytes.mutableSpan
    guard let count = try? LinuxDisk().read(descriptor, into: &span, at: 0), count < cap else { return nil }
    bytes.removeLast(cap - count)
    return String(validating: bytes, as: UTF8.self)
  }

  /// The target of a symbolic link, or nil if it cannot be read or is longer than 4095 bytes.
  static func target(of path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: cap)
    let count = unsafe readlink(path, &bytes, cap)
    guard (1..<cap).contains(count) else { return nil }
    return String(validating: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
