internal import Encoding
internal import Glibc
internal import Sandbox

extension Command {
  static let sandboxRun = Command(
    name: "sandbox run",
    summary: "run a throw-away daemon, in the foreground",
    usage: """
      Usage: kist sandbox run [--dir DIR] [--at TIME]

      Makes a sandbox in DIR unless there is one, prints where it is as lines for
      the environment, and becomes kistd on it. Policy, audit and refusals are
      those of production; keys and certificates are not.

        --dir DIR  where it is to be (default: a new directory in XDG_RUNTIME_DIR
                   or /tmp)
        --at TIME  pin the clock, such as 2026-11-20T09:30:00Z; in a sandbox that
                   is there this writes kist.toml anew

      """,
    options: [.value("dir"), .value("at")],
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let path = arguments.value("dir")
    let clock = try arguments.moment()
    let sandbox: SandboxDirectory
    do throws(SandboxError) {
      sandbox = try SandboxDirectory.openOrMake(path, clock: clock)
    } catch {
      throw CommandFailure.sandbox(error, path)
    }
    let daemon = SandboxDaemon.locate()
    Output.write(sandbox.environment)
    throw daemon.become(configuration: sandbox.configurationPath)
  }
}

extension SandboxDirectory {
  fileprivate static func openOrMake(_ path: String?, clock: Timestamp?) throws(SandboxError) -> SandboxDirectory {
    guard let path, try isPresent(at: path) else { return try make(path, clock: clock, user: geteuid(), now: .now) }
    let sandbox = try SandboxDirectory(path)
    return clock == nil ? sandbox : try sandbox.pinned(at: clock)
  }
}
