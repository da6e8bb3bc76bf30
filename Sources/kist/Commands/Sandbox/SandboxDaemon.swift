internal import Glibc
internal import Host

/// The `kistd` that belongs to this `kist`.
struct SandboxDaemon {
  /// A path, or a name to look for in `PATH`.
  private let executable: String

  /// The one beside this executable, where both are built; that of `../sbin`, where packages install it, which is not in everybody's `PATH`;
  /// otherwise the one in `PATH`.
  static func locate() -> SandboxDaemon {
    let folder = (ChildProcess.own ?? "").split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    let places: [String] = [folder + "/kistd", folder + "/../sbin/kistd"]
    return SandboxDaemon(executable: places.first { unsafe access($0, X_OK) == 0 } ?? "kistd")
  }

  /// Replaces this process; returns only why it could not.
  func become(configuration: String) -> CommandFailure {
    let words = ["kistd", "--config", configuration]
    var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    unsafe execvp(executable, &pointers)
    return .failed("\(executable): \(SystemError.text(errno)); kistd must be beside kist, in ../sbin, or in PATH")
  }
}
