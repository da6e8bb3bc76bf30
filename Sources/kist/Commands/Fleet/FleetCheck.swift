import Format

extension Command {
  static let fleetCheck = Command(
    name: "fleet check",
    summary: "compare the hosts of a fleet",
    usage: """
      Usage: kist fleet check FILE FILE... [--json]

      Compares what kist fleet status --json printed on each host: names must differ;
      policies, and the check values and states of keys, must not. The active key of
      role fleet under which each host claims must be the same.

        --json  answer in JSON

      Exit codes: 0 the hosts agree, 1 they do not.

      Example:
        kist fleet check paris.json rome.json athens.json

      """,
    options: [.json],
    operands: 2...64
  ) { arguments throws(CommandFailure) in
    var reports: [FleetReport] = []
    for path in arguments.operands { reports.append(try report(path)) }
    let findings = FleetReport.differences(of: reports)
    arguments.answer(
      ["findings": findings, "same": findings.isEmpty],
      findings.isEmpty
        ? "the \(reports.count) hosts agree\n" : findings.joined(separator: "\n") + "\n")
    guard findings.isEmpty else { throw CommandFailure(code: 1) }
  }

  private static func report(_ path: String) throws(CommandFailure) -> FleetReport {
    var text = try Input(path: path).contents(limit: 1 << 20)
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    do throws(CanonicalJSONError) {
      return try FleetReport(try CanonicalJSON(parsing: text.span, byteLimit: 1 << 20))
    } catch {
      throw .failed("\(path): not what kist fleet status --json prints")
    }
  }
}

extension FleetReport {
  /// What two hosts of a fleet must not differ in, or must, a sentence each; none if all is well.
  static func differences(of reports: [FleetReport]) -> [String] {
    guard let first = reports.first else { return [] }
    var found: [String] = []
    for (index, report) in reports.enumerated() {
      if reports[..<index].contains(where: { $0.host == report.host }) {
        found.append("two hosts are called \(report.host)")
      }
      if report.policy != first.policy {
        found.append("\(report.host): another policy than \(first.host)'s")
      }
      guard let key = report.fleetKey else {
        found.append(
          "\(report.host): \(report.claimsKey), under which it claims, is no active key of role fleet, or none that you may list"
        )
        continue
      }
      if let other = first.fleetKey, key.check != other.check {
        found.append(
          "\(report.host): claims under \(key.label) (\(key.check)), and \(first.host) under \(other.label) (\(other.check))"
        )
      }
    }
    for (index, report) in reports.enumerated() {
      for other in reports[(index + 1)...] + reports[..<index] {
        found += report.keys.compactMap { $0.difference(report, other) }
      }
    }
    return found
  }

  private var fleetKey: SharedKey? {
    keys.first { $0.label == claimsKey && $0.role == "fleet" && $0.state == "active" }
  }
}

extension FleetReport.SharedKey {
  /// What the other host has otherwise; a key that is destroyed on one is not missed on the other.
  fileprivate func difference(_ own: FleetReport, _ other: FleetReport) -> String? {
    let key = "\(role) \(label) (\(check))"
    guard let same = other.keys.first(where: { $0.role == role && $0.check == check }) else {
      return state == "destroyed" ? nil : "\(other.host): lacks \(own.host)'s key \(key)"
    }
    // Told once, by the host whose name comes first.
    return same.state == state || other.host < own.host
      ? nil : "\(other.host): key \(key) is \(same.state), \(own.host)'s \(state)"
  }
}
