import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy

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
