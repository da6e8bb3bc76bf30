// Doctor: what is wrong on a host with Kist, or soon will be, with the cause and the cure of each
// finding.
// It knows the daemon's files, its units, and what it needs of the kernel; it only reads.
// The daemon must not link it, and it must not know a secret: it opens no key.
// Called by kist.

import Audit
import Format
import Policy

/// All checks of `kist doctor`.
package enum CheckUp {
  typealias Check = @Sendable (Host) -> [Finding]

  /// The findings of every check, problems first.
  package static func findings(in surroundings: Surroundings) -> [Finding] {
    findings(in: Host(surroundings))
  }

  /// What would keep the daemon from starting again with nobody there; nil if it needs people to
  /// unlock it.
  package static func startObstacles(in surroundings: Surroundings) -> [Finding]? {
    let host = Host(surroundings)
    if case .success(let configuration) = host.written, configuration.unlock == nil { return nil }
    return findings(in: host).filter(\.trouble.preventsStart)
  }

  static func findings(in host: Host) -> [Finding] {
    let all = checks.flatMap { $0(host) }
    return all.filter { $0.trouble.severity == .problem }
      + all.filter { $0.trouble.severity == .warning }
  }

  private static let checks: [Check] =
    daemonChecks + configurationChecks + accountChecks + policyChecks + grantChecks + unitChecks
    + unitSettingChecks + socketChecks + fileChecks + reachChecks
    + storeChecks
    + credentialChecks + keyChecks + rotationChecks + merchantChecks + certificateChecks
    + namedCertificateChecks + domainChecks + logChecks
    + rotationOfLogChecks + libraryChecks + evidenceChecks + spaceChecks + clockChecks
    + kernelChecks + leakChecks
}

extension CheckUp {
  /// What the checks found, and when people last did what keeps the evidence good, in the text
  /// format 0.0.4 of Prometheus.
  package static func metrics(in surroundings: Surroundings) -> String {
    let host = Host(surroundings)
    let found = findings(in: host).map(\.trouble)
    var metrics = Metrics()
    metrics.add(
      "kist_doctor_run_timestamp_seconds", "When kist doctor looked, in seconds since 1970.",
      [surroundings.now.sample()])
    metrics.add(
      "kist_doctor_findings", "Findings of kist doctor.",
      Severity.allCases.map { severity in
        ([("severity", severity.rawValue)], UInt64(found.count { $0.severity == severity }))
      })
    metrics.add("kist_doctor_finding", "How often kist doctor found this.", Self.counts(found))
    for (name, help, operation) in deeds {
      metrics.add(
        name, help, [host.lastRecord(of: [operation.name])?.time.sample()].compactMap { $0 })
    }
    metrics.add(
      "kist_last_witness_timestamp_seconds",
      "When a witness last signed a checkpoint that kist doctor was given, in seconds since 1970.",
      surroundings.checkpoints.compactMap { named in
        named.content.lastWitnessed?.sample([("checkpoint", named.name)])
      })
    return metrics.text
  }

  private static func counts(_ found: [Trouble]) -> [(labels: [Metrics.Label], value: UInt64)] {
    Dictionary(grouping: found) { $0 }.sorted { $0.key.rawValue < $1.key.rawValue }.map {
      trouble, times in
      ([("id", trouble.rawValue), ("severity", trouble.severity.rawValue)], UInt64(times.count))
    }
  }

  private static let deeds: [(name: String, help: String, operation: Opcode)] = [
    (
      "kist_last_backup_timestamp_seconds",
      "When the key store was last backed up, in seconds since 1970.", .backUp
    ),
    (
      "kist_last_drill_timestamp_seconds", "When a backup was last tried, in seconds since 1970.",
      .recordDrill
    ),
    (
      "kist_last_review_timestamp_seconds",
      "When somebody last signed off a review of the log, in seconds since 1970.", .reviewLog
    ),
  ]
}

extension Timestamp {
  fileprivate func sample(_ labels: [Metrics.Label] = []) -> (
    labels: [Metrics.Label], value: UInt64
  ) {
    (labels, UInt64(clamping: seconds))
  }
}
