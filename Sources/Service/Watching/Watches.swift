import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy

/// Detects that the wall clock was set, by comparing it with the monotonic clock; at first, that it
/// is behind the log.
final class ClockWatch: @unchecked Sendable {
  /// One second: smaller steps are a clock being disciplined, not set.
  private static let tolerance: Int64 = 1_000_000

  private let lock = Lock()
  /// Wall time minus monotonic time at the last check, in microseconds; guarded by `lock`.
  private var offset: Int64?

  /// - Parameter newest: the time of the last record before, if any.
  init(newest: Timestamp?, wall: Timestamp, monotonic: MonotonicTime) {
    offset = newest.flatMap { $0 > wall ? $0.microseconds - monotonic.nanoseconds / 1000 : nil }
  }

  /// By how many microseconds the wall clock was set since the last check, at least; nil if it was
  /// not.
  func step(wall: Timestamp, monotonic: MonotonicTime) -> Int64? {
    let now = wall.microseconds - monotonic.nanoseconds / 1000
    return lock.withLock {
      defer { if offset == nil { offset = now } }
      guard let last = offset, abs(now - last) >= Self.tolerance else { return nil }
      offset = now
      return now - last
    }
  }
}

/// Announces each key's end thirty, fifteen and seven days before it and when it has come, each
/// once for every unlocking.
final class KeyEndWatch: @unchecked Sendable {
  /// Days before the end.
  private static let marks: [Int64] = [30, 15, 7, 0]

  private let lock = Lock()
  /// The last mark announced for each key; guarded by `lock`.
  private var told: [KeyID: Int64] = [:]

  /// When a key ends; nil if it never does, or is not in use any more.
  static func end(of record: KeyRecord) -> Timestamp? {
    record.state == .preActive || record.state == .active ? record.notAfter : nil
  }

  /// The keys in use that have passed another mark, with the whole days that are left; negative
  /// after the end.
  func due(_ records: [KeyRecord], at now: Timestamp) -> [(key: KeyTarget, days: Int64)] {
    lock.withLock {
      records.compactMap { record -> (KeyTarget, Int64)? in
        let days = Self.end(of: record)?.days(after: now)
        let mark = days.flatMap { days in Self.marks.last { days < $0 } }
        // A mark that is further off again, since the clock was ahead or the key has a new end, is
        // announced when it comes.
        let last = told[record.id]
        told[record.id] = mark
        guard let days, let mark, mark < last ?? .max else { return nil }
        return (KeyTarget(id: record.id, label: record.label.text), days)
      }
    }
  }
}

extension Service {
  /// Records and reports which keys have come nearer to their end; to be called about every hour.
  package func watchKeyEnds() {
    guard let session else { return }
    let due = session.keyEnds.due(session.keys.records, at: settings.clock())
    guard !due.isEmpty else { return }
    var batch = Batch()
    for (key, days) in due { batch.add(Attempt(.keyEnding(key, days: days))) }
    // A failure need not be reported here: the log then refuses requests as well, which is
    // reported.
    _ = try? session.commit(batch)
    for (key, days) in due { settings.report(.keyEnding(label: key.label, days: days)) }
  }
}

extension Service {
  /// The report for the `status` operation.
  var statusReport: StatusReport {
    var report = StatusReport()
    report.state = stateName
    report.productVersion = ProductVersion.text
    report.rehearsal = settings.configuration.kind == .rehearsal
    report.started = UInt64(clamping: started.seconds)
    report.policyHash = rules.snapshot.policyHash.bytes
    report.connections = UInt32(clamping: settings.connectionCount())
    report.unmatchedGrants = unmatchedGrants
    report.auditFree = UInt64(
      clamping: (try? settings.log.disk.freeBytes(settings.log.path)) ?? 0)
    describeArena(in: &report)
    settings.describeProcess(&report)
    switch life.current {
    case .locked, .locking, .failed, .stopped: break
    case .auditUnavailable(let verifier):
      report.auditCondition = "failed"
      // An operator who investigates the failed log needs the key now.
      report.auditVerifierKey = verifier.vkey
    case .serving(let session):
      let keys = session.keys.records
      report.keys = UInt32(clamping: keys.count)
      report.nextKeyEnd = UInt64(
        clamping: keys.compactMap { KeyEndWatch.end(of: $0)?.seconds }.min() ?? 0)
      report.storeFill = UInt32(clamping: session.keys.fill)
      let head = session.log.head
      report.auditSize = head.size
      report.auditRoot = head.root.bytes
      report.auditVerifierKey = session.log.verifier.vkey
      report.auditCondition = session.log.space.rawValue
    }
    return report
  }

  /// Takes and gives back the locks that every request takes; returns never if one of them is never
  /// given back.
  package func touchLocks() {
    _ = rules.snapshot
    _ = unlocked?.log.head
  }

  /// The state's name in a status report.
  package var stateName: String { life.current.name }

  private var unmatchedGrants: String {
    guard !settings.tellsProcesses else { return "" }
    return rules.snapshot.policy.rules.filter(\.callers.asksForProcess).map(\.id).reduce(into: "") {
      ids, id in
      let separator = ids.isEmpty ? "" : " "
      if ids.utf8.count + separator.utf8.count + id.utf8.count <= StatusReport.Caps.unmatchedGrants
      {
        ids += separator + id
      }
    }
  }

  private func describeArena(in report: inout StatusReport) {
    let usage = SecretArena.usage
    report.arena =
      switch usage.kind {
      case .memfdSecret: "memfd_secret"
      case .mlock: "mlock"
      case nil: ""
      }
    report.arenaCapacity = UInt64(usage.capacity)
    report.arenaUsed = UInt64(usage.used)
    report.arenaPeak = UInt64(usage.peak)
    report.stackCapacity = UInt64(SecretStack.usage.capacity)
  }
}
