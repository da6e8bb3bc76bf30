import Format
import KistClient

extension Command {
  static let describe = Command(
    name: "describe",
    summary: "print the daemon's version and what it can do",
    usage: """
      Usage: kist describe [--json] [--socket PATH] [--timeout S]

        --json         answer in JSON
        --socket PATH  the daemon's socket (default: KIST_ENDPOINT, or
                       /run/kist/kist.sock; if you may not connect there,
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.json], daemon: .everybody
  ) { arguments throws(CommandFailure) in
    let daemon = try Daemon(arguments)
    let description = try daemon.ask(daemon.client.describe())
    arguments.answer(description.json, description.text)
  }
}

extension DaemonDescription {
  fileprivate var text: String {
    var table = Table(
      ["version", productVersion],
      ["kind", rehearsal ? "rehearsal" : "production"],
      ["wire version", String(wireVersion)],
      ["in flight", String(inFlight)])
    table.add(operations.enumerated().map { [$0 == 0 ? "operations" : "", $1] })
    return table.text
  }

  fileprivate var json: CanonicalJSON {
    [
      "in_flight": inFlight, "operations": operations,
      "product_version": productVersion, "rehearsal": rehearsal, "wire_version": wireVersion,
    ]
  }
}
