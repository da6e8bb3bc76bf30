internal import Encoding
internal import Glibc
internal import Sandbox

extension Command {
  static let sandboxInit = Command(
    name: "sandbox init",
    summary: "make a throw-away daemon's directory, to run later",
    usage: """
      Usage: kist sandbox init [--at TIME] DIR

      Fills DIR, which is new or empty, with all that a rehearsal daemon needs:
      kist.toml, a policy for you, a test Apple PKI, and a key store with two
      merchants' keys, which no production daemon opens.

        --at TIME  pin the daemon's clock, such as 2026-11-20T09:30:00Z

      """,
    options: [.value("at")],
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let path = arguments.operands[0]
    let clock = try arguments.moment()
    do throws(SandboxError) {
      Output.write(try SandboxDirectory.make(path, clock: clock, user: geteuid(), now: .now).environment)
    } catch {
      throw CommandFailure.sandbox(error, path)
    }
  }
}
