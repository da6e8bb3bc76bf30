import Format
import Glibc
import Sandbox

extension Command {
  static let sandboxInit = Command(
    name: "sandbox init",
    summary: "make a throw-away daemon's directory, to run later",
    usage: """
      Usage: kist sandbox init [--at TIME] [--config FILE] [--policy FILE]... DIR

      Fills DIR, which is new or empty, with all that a rehearsal daemon needs:
      kist.toml, a policy for you, a test Apple PKI, and a key store with the keys of
      two merchants and an issuer, which no production daemon opens.

        --at TIME      pin the daemon's clock, such as 2026-11-20T09:30:00Z
        --config FILE  more settings, in the form of kist.toml, added to the sandbox's
                       own; settings that make it a sandbox are refused
        --policy FILE  more grants, in the form of the files in policy.d; they come
                       before the sandbox's own. Give it once for each file.

      With KIST_SANDBOX=DIR in the environment the other commands use this sandbox:
      its sockets, policy, log and the log's key.

      """,
    options: ["at", "config", .values("policy")],
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let path = arguments.operands[0]
    let clock = try arguments.moment()
    let additions = try arguments.additions()
    let sandbox = try onSandbox(
      path,
      SandboxDirectory.make(path, clock: clock, adding: additions, user: geteuid(), now: .now))
    Output.write(sandbox.environment)
  }
}
