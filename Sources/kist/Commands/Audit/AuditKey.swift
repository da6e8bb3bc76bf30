import Format
import KistClient

extension Command {
  static let auditKey = Command(
    name: "audit key",
    summary: "print the verifier key of the daemon's audit log",
    usage: """
      Usage: kist audit key [--json] [--socket PATH] [--timeout S]

      Prints the log's verifier key, for kist audit verify --key. Keep it where the
      daemon's host cannot change it. The daemon must be unlocked.

        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.json], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let daemon = try Daemon(arguments)
    let report = try daemon.ask(daemon.client.status())
    let key = report.auditVerifierKey
    guard !key.isEmpty else {
      throw .failed(
        "the daemon is \(report.state) and does not know it; kist unlock opens the key store")
    }
    arguments.answer(["verifier_key": key], key + "\n")
  }
}
