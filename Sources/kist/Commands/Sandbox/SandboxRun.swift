import Format
import Glibc
import Host
import Sandbox

extension Command {
  static let sandboxRun = Command(
    name: "sandbox run",
    summary: "run a throw-away daemon, in the foreground",
    usage: """
      Usage: kist sandbox run [--dir DIR] [--at TIME] [--config FILE]
                 [--policy FILE]...

      Makes a sandbox in DIR unless there is one, prints lines for the environment
      that say where it is, and runs kistd on it. Policy, audit and refusals are
      those of production; keys and certificates are not.

        --dir DIR      the sandbox's directory (default: a new one in
                       XDG_RUNTIME_DIR or /tmp)
        --at TIME      pin the clock, such as 2026-11-20T09:30:00Z
        --config FILE  more settings, in the form of kist.toml, added to the sandbox's
                       own; settings that make it a sandbox are refused
        --policy FILE  more grants, in the form of the files in policy.d; they come
                       before the sandbox's own. Give it once for each file.

      In an existing sandbox, --at and --config write kist.toml again, and new
      additions replace earlier ones. A file that does not fit is refused, and nothing
      is changed.

      """,
    options: ["dir", "at", "config", .values("policy")],
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let path = arguments.value("dir")
    let clock = try arguments.moment()
    let additions = try arguments.additions()
    let sandbox = try onSandbox(path, SandboxDirectory.openOrMake(path, clock, additions))
    let daemon = SandboxDaemon.locate()
    Output.write(sandbox.environment)
    throw daemon.become(configuration: sandbox.configurationPath)
  }
}

extension SandboxDirectory {
  fileprivate static func openOrMake(
    _ path: String?, _ clock: Timestamp?, _ additions: SandboxAdditions
  ) throws(SandboxError) -> SandboxDirectory {
    guard let path, try isPresent(at: path) else {
      return try make(path, clock: clock, adding: additions, user: geteuid(), now: .now)
    }
    let sandbox = try SandboxDirectory(path)
    return clock == nil && additions.isEmpty
      ? sandbox : try sandbox.changed(clock: clock ?? sandbox.clock, adding: additions)
  }
}

/// The `kistd` that belongs to this `kist`.
struct SandboxDaemon {
  /// A path, or a name to look for in `PATH`.
  private let executable: String

  /// The one beside this executable, where both are built; that of `../sbin`, where packages
  /// install it, which is not in everybody's `PATH`; otherwise the one in `PATH`.
  static func locate() -> SandboxDaemon {
    let folder = (ChildProcess.own ?? "").split(separator: "/").dropLast().reduce("") {
      $0 + "/" + $1
    }
    let places: [String] = [folder + "/kistd", folder + "/../sbin/kistd"]
    return SandboxDaemon(executable: places.first { unsafe access($0, X_OK) == 0 } ?? "kistd")
  }

  /// Replaces this process; returns only why it could not.
  func become(configuration: String) -> CommandFailure {
    let words = ["kistd", "--config", configuration]
    var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    unsafe execvp(executable, &pointers)
    return .failed(
      "\(executable): \(SystemError.text(errno)); kistd must be beside kist, in ../sbin, or in PATH"
    )
  }
}
