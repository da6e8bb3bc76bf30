import Format
import KistClient

extension Command {
  static let ping = Command(
    name: "ping",
    summary: "ask whether the daemon answers",
    usage: """
      Usage: kist ping [--ready] [--json] [--socket PATH] [--timeout S]

      Needs no grant and leaves no audit record.

        --ready        also ask whether it serves, and print serving, locked or
                       unavailable (the audit log cannot be written)
        --json         answer in JSON
        --socket PATH  the daemon's socket (default: KIST_ENDPOINT, or
                       /run/kist/kist.sock; if you may not connect there,
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      Exit codes: 0 it answers, 1 it does not; with --ready 0 it serves, 75 it is
      locked or unavailable, 1 it does not answer.

      """,
    options: [.flag("ready"), .json], daemon: .everybody
  ) { arguments throws(CommandFailure) in
    let daemon = try Daemon(arguments)
    guard arguments.has("ready") else {
      try daemon.ask(daemon.client.ping())
      arguments.answer(["ok": true], "the daemon answers\n")
      return
    }
    let readiness = try daemon.ask(daemon.client.readiness())
    arguments.answer(
      ["ready": readiness == .serving, "state": readiness.rawValue],
      readiness.rawValue + "\n")
    guard readiness == .serving else { throw CommandFailure(code: CommandFailure.temporary) }
  }
}

/// Whether the daemon serves, as a health check sees it.
enum Readiness: String {
  case serving, locked, unavailable
}

extension Client {
  func readiness() throws(ClientError) -> Readiness {
    do throws(ClientError) { try ready() } catch {
      guard case .refused(let refusal) = error else { throw error }
      switch Status.allCases.first(where: { $0.name == refusal.status }) {
      case .locked: return .locked
      case .auditUnavailable, .internal: return .unavailable
      case .ok, .malformed, .unsupported, .denied, .rejected, .busy, .approvalNeeded, nil:
        throw error
      }
    }
    return .serving
  }
}
