internal import Glibc
internal import Storage

/// The `kistd` that belongs to this `kist`.
struct SandboxDaemon {
  /// A path, or a name to look for in `PATH`.
  private let executable: String

  /// The one beside this executable, where both are built and installed; otherwise the one in `PATH`.
  static func locate() -> SandboxDaemon {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let beside = own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/kistd"
    return SandboxDaemon(executable: unsafe access(beside, X_OK) == 0 ? beside : "kistd")
  }

  /// Replaces this process; returns only why it could not.
  func become(configuration: String) -> CommandFailure {
    let words = ["kistd", "--config", configuration]
    var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    unsafe execvp(executable, &pointers)
    return .failed("\(executable): \(SystemError.text(errno)); kistd is to be beside kist, or in PATH")
  }
}
