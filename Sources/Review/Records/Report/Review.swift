// Review: what auditors and officers do with a log and with policies: `Evidence` shows others that
// a log is whole, `Records` searches and counts it, `Policies` explains, compares and tries
// policies.
// It knows a log's files and public keys only.
// It must not know a secret, and the daemon must not link it.
// Called by Ceremony, Doctor and kist.

package import Audit
package import Format

/// The numbers of a period of a log, counted in one pass; records before the period show what is
/// new in it.
package struct Review: Sendable {
  package let since: Timestamp
  /// The first moment after the period; nil for the end of the log.
  package let until: Timestamp?
  /// All records of the period.
  package private(set) var records = Figure()
  package private(set) var requestCount = 0
  /// The latest time in the period.
  private var latest: Timestamp?
  /// Requests by result.
  package private(set) var results: [String: Figure] = [:]
  package private(set) var uses: [Use: Figure] = [:]
  package private(set) var refusals: [Refusal: Figure] = [:]
  /// By day, such as `2026-11-20`.
  package private(set) var days: [String: Load] = [:]
  /// Requests by the hour of the day, UTC.
  package private(set) var hours = [Figure](repeating: Figure(), count: 24)
  /// Callers that no record before the period names.
  private(set) var newCallers: [CallerName: Figure] = [:]
  /// Keys that a caller had not used before.
  private(set) var firstUses: [Use: Figure] = [:]
  /// Events of the daemon and its keys, by name.
  package private(set) var events: [String: Figure] = [:]
  /// Records that should not occur: see `isException`.
  package private(set) var exceptions: [String: Figure] = [:]
  package private(set) var gaps: [Gap] = []
  private(set) var habits: [CallerName: Habit] = [:]
  /// Covers the whole log, up to the end of the period.
  package private(set) var coverage = ReviewCoverage()
  /// Nil if no policy was given.
  package private(set) var quotas: QuotaUse?
  private var knownCallers: Set<CallerName> = []
  private var knownUses: Set<Use> = []
  private var lastSequence: UInt64?
  private var stopped: Record?

  /// Who used which key for what.
  package struct Use: Hashable, Sendable {
    package let caller: CallerName
    /// The key's label, or its id if it has none.
    package let key: String
    package let operation: String
  }

  package struct Refusal: Hashable, Sendable {
    package let result: String
    /// The stage that failed or what policy lacked.
    package let reason: String?
    package let operation: String
  }

  package struct Load: Hashable, Sendable {
    package fileprivate(set) var requests = Figure()
    package fileprivate(set) var refusals = Figure()
  }

  package init(since: Timestamp, until: Timestamp?, quotas: QuotaUse? = nil) {
    self.since = since
    self.until = until
    self.quotas = quotas
  }

  /// Takes the log's next record.
  package mutating func add(_ record: Record) {
    let isInside = record.time >= since && until.map { record.time < $0 } ?? true
    checkContinuity(record, isInside)
    coverage.add(record)
    if until.map({ record.time < $0 }) ?? true { quotas?.add(record, since: since) }
    guard isInside else {
      if record.time < since { remember(record) }
      return
    }
    records.add(record)
    latest = max(latest ?? record.time, record.time)
    if record.result == nil { addEvent(record) } else { addRequest(record) }
  }

  /// The end of the period, as far as it is known.
  var end: Timestamp { until ?? latest ?? since }

  /// Whether somebody should look at this very record.
  package static func isException(_ record: Record) -> Bool {
    switch record.operation {
    case "unclean-start", "recovery", "clock-step", "unreadable", "policy-swap-refused",
      "key-compromised", "connections-refused", "records-unread",
      "requests-refused", "duplicate-opening":
      return true
    default:
      return record.operation.hasPrefix("opcode-") || record.status == .auditUnavailable
        || record.status == .internal
    }
  }
}

extension Review {
  private mutating func addRequest(_ record: Record) {
    let result = record.result ?? ""
    let isRefused = record.status != .ok
    requestCount += 1
    results[result, default: Figure()].add(record)
    let day = record.time.day
    days[day, default: Load()].requests.add(record)
    hours[record.hour].add(record)
    if isRefused {
      days[day, default: Load()].refusals.add(record)
      let refusal = Refusal(
        result: result, reason: record.stage ?? record.policy?.denial, operation: record.operation)
      refusals[refusal, default: Figure()].add(record)
    }
    if Self.isException(record) {
      exceptions[
        record.status == .ok ? record.operation : "\(record.operation): \(result)",
        default: Figure()
      ].add(record)
    }
    guard let caller = record.actor.map(CallerName.init) else { return }
    habits[caller, default: Habit()].add(record)
    if !knownCallers.contains(caller) { newCallers[caller, default: Figure()].add(record) }
    guard let use = record.use else { return }
    uses[use, default: Figure()].add(record)
    if !isRefused, !knownUses.contains(use) { firstUses[use, default: Figure()].add(record) }
  }

  private mutating func addEvent(_ record: Record) {
    // Every segment begins with this record, which says nothing about the daemon.
    guard record.operation != "segment" else { return }
    events[record.operation, default: Figure()].add(record, linesUpTo: Self.eventLines)
    if Self.isException(record) { exceptions[record.operation, default: Figure()].add(record) }
    for refused in record.countedRefusals { addRefusals(refused, of: record) }
  }

  /// Adds requests that share one record, because there were too many for a record each.
  private mutating func addRefusals(
    _ refused: (kind: String, result: String, denial: String?, count: Int), of record: Record
  ) {
    let day = record.time.day
    requestCount += refused.count
    results[refused.result, default: Figure()].add(record, times: refused.count)
    days[day, default: Load()].requests.add(record, times: refused.count)
    days[day, default: Load()].refusals.add(record, times: refused.count)
    hours[record.hour].add(record, times: refused.count)
    let refusal = Refusal(result: refused.result, reason: refused.denial, operation: refused.kind)
    refusals[refusal, default: Figure()].add(record, times: refused.count)
  }

  private mutating func remember(_ record: Record) {
    guard let caller = record.actor.map(CallerName.init) else { return }
    knownCallers.insert(caller)
    habits[caller, default: Habit()].remember(record)
    if record.status == .ok, let use = record.use { knownUses.insert(use) }
  }

  private mutating func checkContinuity(_ record: Record, _ isInside: Bool) {
    defer { lastSequence = record.sequence }
    // A log that does not begin with record 0 has lost its oldest segments.
    let expected = lastSequence.map { $0 + 1 } ?? 0
    if isInside, record.sequence > expected { gaps.append(.missing(expected..<record.sequence)) }
    if isInside, let lastSequence, record.sequence <= lastSequence {
      gaps.append(.disorder(after: lastSequence, record.sequence))
    }
    if let stopped, record.operation == "start" {
      if isInside {
        gaps.append(
          .down(from: stopped.time, to: record.time, stop: stopped.sequence, start: record.sequence)
        )
      }
      self.stopped = nil
    }
    if record.operation == "stop" { stopped = record }
  }

  private static let eventLines = 100
}

extension Review {
  /// A gap in the log.
  package enum Gap: Hashable, Sendable {
    /// Records are missing.
    case missing(Range<UInt64>)
    /// A sequence appears again or out of order, which no daemon writes.
    case disorder(after: UInt64, UInt64)
    /// The daemon was down after an orderly stop.
    case down(from: Timestamp, to: Timestamp, stop: UInt64, start: UInt64)
  }
}

extension Record {
  /// Hour of the day, UTC.
  var hour: Int { Int(time.seconds % 86_400) / 3600 }

  /// The key's label, or its id if it has none.
  var keyName: String? { label ?? key.map { Hex.encode($0.bytes) } }

  fileprivate var use: Review.Use? {
    guard let actor, let keyName else { return nil }
    return Review.Use(caller: CallerName(actor), key: keyName, operation: operation)
  }
}

/// The caller that a record names: the user, and the systemd unit if there is one.
package struct CallerName: Hashable, Sendable {
  package let uid: Int64
  package let name, unit: String?

  init(_ actor: Record.Actor) {
    uid = actor.uid
    name = actor.name
    unit = actor.unit
  }

  package var text: String {
    (name.map { "\($0), " } ?? "") + "uid \(uid)" + (unit.map { ", " + $0 } ?? "")
  }

  /// The options with which `kist audit show` finds the caller's records.
  var words: [String] { ["--user", String(uid)] + (unit.map { ["--unit", $0] } ?? []) }
}

extension Record {
  /// The counts in a record that stands for many refusals; empty for any other record.
  package var countedRefusals: [(kind: String, result: String, denial: String?, count: Int)] {
    guard operation == RecordName.refusals,
      case .array(let kinds)? = event.first(where: { $0.name == "kinds" })?.value
    else { return [] }
    return kinds.compactMap { kind in
      guard case .object(let members) = kind else { return nil }
      let values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
      guard case .string(let operation)? = values["op"],
        case .string(let result)? = values["result"], case .integer(let count)? = values["count"]
      else { return nil }
      guard case .string(let denial)? = values["denial"] else {
        return (operation, result, nil, Int(clamping: count))
      }
      return (operation, result, denial, Int(clamping: count))
    }
  }
}

extension Timestamp {
  /// `2026-11-20`.
  package var day: String { String(wholeSeconds.prefix(10)) }
}
