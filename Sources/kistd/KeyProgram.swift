import CLinux
import Configuration
import Glibc
import Host
import Policy

/// `kistd-keys`, which takes this process' place.
enum KeyProgram {
  /// Becomes it, with a frame in memory that nobody can change any more.
  ///
  /// - Throws: if it could not; otherwise nothing returns.
  static func take(_ frame: SettingsFrame, isMoved: Bool) throws(StartFailure) -> Never {
    let descriptor = try sealed(frame)
    try run(["--settings", String(descriptor)] + (isMoved ? ["--moved"] : []))
  }

  static func run(_ words: [String]) throws(StartFailure) -> Never {
    let path = try path()
    var arguments = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
    unsafe execv(path, &arguments)
    throw StartFailure(
      .unavailable,
      "\(path): \(SystemError.text(errno)); kistd and kistd-keys belong into one directory")
  }

  /// It stands beside this program.
  private static func path() throws(StartFailure) -> String {
    guard let own = unsafe realpath("/proc/self/exe", nil) else {
      throw StartFailure(
        .osError, "/proc/self/exe cannot be read: \(SystemError.text(errno)); mount /proc")
    }
    defer { unsafe free(own) }
    let path = unsafe String(cString: own)
    return path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/kistd-keys"
  }

  private static func sealed(_ frame: SettingsFrame) throws(StartFailure) -> Int32 {
    let bytes = try frame.bytes()
    let descriptor = unsafe kist_sealed_memory(bytes, bytes.count)
    guard descriptor >= 0 else {
      throw StartFailure(.osError, "no memory for the settings: \(SystemError.text(errno))")
    }
    return descriptor
  }
}
