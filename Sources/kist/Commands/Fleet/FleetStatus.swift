internal import Format
internal import KistClient

extension Command {
  static let fleetStatus = Command(
    name: "fleet status",
    summary: "say how this host is in its fleet",
    usage: """
      Usage: kist fleet status [--json] [--claimd FILE] [--socket PATH] [--timeout S]

      Prints the host's name in its fleet, whether the store is reachable, how many
      tokens it has refused and opened without the store since its start, and the keys
      that the hosts of a fleet have in common, if you may list them, with their check
      values. It needs grants of status and metrics, and for the keys of list-keys.
      Then it prints what kist-claimd has seen: the round trip to the store, how its
      clock differs from this host's, when each host last wrote, and why the store is
      away.

        --json         answer in JSON, for kist fleet check; without kist-claimd
        --claimd FILE  kist-claimd's status file (default, if it is there:
                       /run/kist-claimd/status.json)
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      Exit codes: 0 the store is reachable, 1 it is away.

      """,
    options: [.json, .value("claimd")], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let store = if let path = arguments.value("claimd") { try ClaimdReport(path: path) } else { try? ClaimdReport(path: ClaimdReport.usualPath) }
    let daemon = try Daemon(arguments)
    let status = try daemon.ask { (client) throws(ClientError) in try client.status() }
    let metrics = try daemon.ask { (client) throws(ClientError) in try client.metrics() }
    guard let report = FleetReport(status, metrics, try daemon.visibleKeys) else {
      throw .failed(FleetReport.absence(of: status))
    }
    if arguments.has("json") {
      Output.write(report.json)
    } else {
      Output.write(report.text)
      if let store { Output.write("\n" + store.text) }
    }
    guard report.isStoreThere else { throw CommandFailure(code: 1) }
  }
}
