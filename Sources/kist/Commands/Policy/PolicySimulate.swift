import Audit
import Configuration
import Format
import Policy
import Review

extension Command {
  static let policySimulate = Command(
    name: "policy simulate",
    summary: "replay the audit log under other policy files",
    usage: """
      Usage: kist policy simulate NEW [--since TIME] [--log DIR] [--json]

      Decides every request of the log under the policy files in the directory NEW, at
      the time of its record. Says which would have been refused, which would have
      been newly allowed, and which would have released less. Rates and quotas count.
      It also says if nobody could unlock the key store or approve a request.

      The log has a caller's user, primary group and unit; its other groups are those
      that this host knows today.

        --since TIME  such as 2026-11-20 or 2026-11-20T09:30:00Z, in UTC
        --log DIR     the audit log (default /var/log/kist/audit)
        --json        answer in JSON

      Exit codes: 0 no request would lose anything, 1 one would.

      """,
    options: RecordedTraffic.options + [.json],
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let policy = try PolicyDirectory.read(arguments.operands[0])
    var simulation = PolicySimulation(policy)
    try RecordedTraffic(arguments).forEach { simulation.replay($0) }
    let lockOuts = LockOut.all(in: policy)
    Output.write(
      arguments.has("json")
        ? simulation.json(lockOuts)
        : simulation.text + lockOuts.map { "careful: \($0.sentence)\n" }.joined())
    guard !simulation.takesAway else { throw CommandFailure(code: 1) }
  }
}

extension PolicySimulation {
  fileprivate var text: String {
    let sections: [(String, (Finding) -> Bool)] = [
      ("would be refused", \.isRefused),
      ("would release less", { if case .releasesLess = $0.outcome { true } else { false } }),
      ("would be allowed anew", { if case .newlyAllowed = $0.outcome { true } else { false } }),
    ]
    var text = "\(requestCount) \(requestCount == 1 ? "request" : "requests") replayed"
    if findings.isEmpty { return text + ", all come out the same\n" }
    text += "\n"
    for (heading, belongs) in sections {
      let found = findings.filter(belongs)
      guard !found.isEmpty else { continue }
      text += "\n\(found.reduce(0) { $0 + $1.count }) \(heading)\n"
      var table = Table()
      for finding in found {
        table.add([
          "  " + finding.who, finding.what, "\(finding.count) times, records \(finding.records)",
          finding.why,
        ])
      }
      text += table.text
    }
    return text
  }

  fileprivate func json(_ lockOuts: [LockOut]) -> String {
    let all: CanonicalJSON = [
      "findings": findings.map(\.json), "lock_outs": lockOuts.map(\.sentence), "ok": !takesAway,
      "requests": requestCount,
    ]
    return String(decoding: all.serialised, as: UTF8.self) + "\n"
  }
}

extension PolicySimulation.Finding {
  fileprivate var isRefused: Bool {
    switch outcome {
    case .refused, .outsideHours: true
    case .newlyAllowed, .releasesLess: false
    }
  }

  fileprivate var who: String { "user \(caller.uid)\(caller.unit.map { " of \($0)" } ?? "")" }

  fileprivate var what: String { opcode.name + (label.map { " with \($0)" } ?? "") }

  fileprivate var records: String {
    firstSequence == lastSequence ? "\(firstSequence)" : "\(firstSequence) to \(lastSequence)"
  }

  fileprivate var why: String {
    switch outcome {
    case .refused(let denial): denial.sentence
    case .outsideHours(let grant, let validity):
      "grant \(grant) is not in force then, but \(validity)"
    case .newlyAllowed(let grant): "by grant \(grant)"
    case .releasesLess(let names): "without \(names.joined(separator: ", "))"
    }
  }

  private var outcomeName: String {
    switch outcome {
    case .refused, .outsideHours: "refused"
    case .newlyAllowed: "newly-allowed"
    case .releasesLess: "releases-less"
    }
  }

  fileprivate var json: CanonicalJSON {
    [
      "count": count, "first_sequence": firstSequence, "last_sequence": lastSequence,
      "operation": opcode.name, "outcome": outcomeName, "uid": caller.uid, "why": why,
      "label": label, "unit": caller.unit,
    ]
  }
}

/// The requests of a log, for replays.
struct RecordedTraffic {
  let directory: String
  private let since: Timestamp?

  static let options: [Option] = ["log", "since"]

  init(_ arguments: Arguments) throws(CommandFailure) {
    directory = arguments.value("log") ?? UsualPlaces.auditLog
    since = try arguments.time("since")
    try Hardening.prepareForPublicData()
    try AuditDirectory.requireLog(directory)
  }

  /// Visits every request that policy decided; callers' groups are those of this host.
  func forEach(_ visit: (RecordedRequest) -> Void) throws(CommandFailure) {
    let callers = RecordedCallers(.system)
    do throws(AuditError) {
      try LogReader(LogDirectory(reading: directory)).forEachRecord(
        since: since ?? Timestamp(seconds: 0)
      ) { record, _ in
        if let request = RecordedRequest(record, callers) { visit(request) }
        return true
      }
    } catch { throw .audit(error, directory) }
  }
}
