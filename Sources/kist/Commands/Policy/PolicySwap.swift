import Configuration
import Crypto
import KistClient
import Policy

extension Command {
  static let policySwap = Command(
    name: "policy swap",
    summary: "request approval of a changed policy",
    usage: """
      Usage: kist policy swap [--dir DIR] [--wait] [--json] [--socket PATH]
                  [--timeout S]

      If a change of policy needs a second operator (operators.approval in kist.toml),
      a reload applies only a policy that was requested here and approved. Edit the
      files, run this, have it approved, run this again, and then reload the daemon in
      time: systemctl reload kistd. It applies exactly the policy that the files have
      now.

        --dir DIR      the policy files (default /etc/kist/policy.d)
        --wait         wait for the second operator
        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: ["dir", .wait, .json], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let policy = try PolicyDirectory.read(arguments.value("dir"))
    let hash = policy.digest
    let daemon = try Daemon(arguments)
    let sequence = try daemon.ask(daemon.client.swapPolicy(hash.bytes))
    Output.done(
      "the next reload may take policy \(hash.hex); now reload the daemon: systemctl reload kistd",
      sequence, arguments)
  }
}
