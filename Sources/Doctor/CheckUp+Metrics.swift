internal import Audit
internal import Format

extension CheckUp {
  /// What the checks found, and when people last did what keeps the evidence good, in the text format 0.0.4 of Prometheus.
  package static func metrics(in surroundings: Surroundings) -> String {
    let host = Host(surroundings)
    let found = findings(in: host).map(\.trouble)
    var metrics = Metrics()
    metrics.add("kist_doctor_run_timestamp_seconds", "When kist doctor looked, in seconds since 1970.", [surroundings.now.sample()])
    metrics.add(
      "kist_doctor_findings", "Findings of kist doctor.",
      Severity.allCases.map { severity in ([("severity", severity.rawValue)], UInt64(found.count { $0.severity == severity })) })
    metrics.add("kist_doctor_finding", "How often kist doctor found this.", Self.counts(found))
    for (name, help, operation) in deeds { metrics.add(name, help, [host.lastRecord(of: [operation.name])?.time.sample()].compactMap { $0 }) }
    metrics.add(
      "kist_last_witness_timestamp_seconds", "When a witness last signed a checkpoint that kist doctor was given, in seconds since 1970.",
      surroundings.checkpoints.compactMap { named in named.content.lastWitnessed?.sample([("checkpoint", named.name)]) })
    return metrics.text
  }

  private static func counts(_ found: [Trouble]) -> [(labels: [Metrics.Label], value: UInt64)] {
    Dictionary(grouping: found) { $0 }.sorted { $0.key.rawValue < $1.key.rawValue }.map { trouble, times in
      ([("id", trouble.rawValue), ("severity", trouble.severity.rawValue)], UInt64(times.count))
    }
  }

  private static let deeds: [(name: String, help: String, operation: Opcode)] = [
    ("kist_last_backup_timestamp_seconds", "When the key store was last backed up, in seconds since 1970.", .backUp),
    ("kist_last_drill_timestamp_seconds", "When a backup was last tried, in seconds since 1970.", .recordDrill),
    ("kist_last_review_timestamp_seconds", "When somebody last signed off a review of the log, in seconds since 1970.", .reviewLog),
  ]
}

extension Timestamp {
  fileprivate func sample(_ labels: [Metrics.Label] = []) -> (labels: [Metrics.Label], value: UInt64) {
    (labels, UInt64(clamping: seconds))
  }
}
