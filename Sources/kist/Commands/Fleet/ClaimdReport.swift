internal import Format

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
    (roundTrip, clockDifference) = (try fields.optionalInteger("round_trip_us"), try fields.optionalInteger("clock_difference_ms"))
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
    do throws(CanonicalJSONError) { try self.init(try CanonicalJSON(parsing: text.span, byteLimit: 1 << 16)) } catch {
      throw .failed("\(path): not a status file of kist-claimd")
    }
  }

  var text: String {
    var table = Table()
    if let reason { table.add(["away because", reason]) }
    if let refusal { table.add(["claims are refused", refusal]) }
    if let roundTrip { table.add(["round trip", "\(roundTrip) us"]) }
    if let clockDifference { table.add(["store's clock", "\(abs(clockDifference)) ms \(clockDifference < 0 ? "behind" : "ahead")"]) }
    table.add(["as of", written])
    var seen = Table(["HOST", "LAST WROTE"])
    for host in hosts { seen.add([host.name, host.lastWrite]) }
    return table.text + (hosts.isEmpty ? "" : "\n" + seen.text)
  }
}
