import Format
import KistClient

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
    options: [.json, "claimd"], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let store =
      if let path = arguments.value("claimd") { try ClaimdReport(path: path) } else {
        try? ClaimdReport(path: ClaimdReport.usualPath)
      }
    let daemon = try Daemon(arguments)
    let status = try daemon.ask(daemon.client.status())
    let metrics = try daemon.ask(daemon.client.metrics())
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

/// What kist-claimd says in its status file of the store and of the hosts that it has seen there.
struct ClaimdReport {
  /// Why the store is away; nil if it is there.
  let reason: String?
  /// Why it refused the last claims; nil if it took them.
  let refusal: String?
  /// In microseconds; nil before the first.
  let roundTrip: Int64?
  /// How far the store's clock is ahead of this host's, in milliseconds.
  let clockDifference: Int64?
  let hosts: [(name: String, lastWrite: String)]
  /// When the file was written.
  let written: String

  static let usualPath = "/run/kist-claimd/status.json"

  init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    let isThere = try fields.string("store") == "there"
    reason = isThere ? nil : try fields.optionalString("reason") ?? "not known"
    refusal = try fields.optionalString("refusal")
    roundTrip = try fields.optionalInteger("round_trip_us")
    clockDifference = try fields.optionalInteger("clock_difference_ms")
    written = try fields.string("written")
    var hosts: [(name: String, lastWrite: String)] = []
    for element in try fields.array("hosts") {
      var host = try CanonicalJSONFields(element)
      hosts.append((try host.string("host"), try host.string("last_write")))
      try host.end()
    }
    self.hosts = hosts
  }

  /// - Throws: `CommandFailure` if there is no such file, or it is something else.
  init(path: String) throws(CommandFailure) {
    var text = try Input(path: path).contents(limit: 1 << 16)
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    do throws(CanonicalJSONError) {
      try self.init(try CanonicalJSON(parsing: text.span, byteLimit: 1 << 16))
    } catch {
      throw .failed("\(path): not a status file of kist-claimd")
    }
  }

  var text: String {
    let table = Table(
      reason.map { ["away because", $0] },
      refusal.map { ["claims are refused", $0] },
      roundTrip.map { ["round trip", "\($0) us"] },
      clockDifference.map {
        ["store's clock", "\(abs($0)) ms \($0 < 0 ? "behind" : "ahead")"]
      },
      ["as of", written])
    let seen = Table([["HOST", "LAST WROTE"]] + hosts.map { [$0.name, $0.lastWrite] })
    return table.text + (hosts.isEmpty ? "" : "\n" + seen.text)
  }
}
