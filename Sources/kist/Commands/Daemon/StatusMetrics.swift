import Configuration
import Doctor
import Format
import Host
import KistClient

/// The daemon's state as metrics, and what it has counted.
struct StatusMetrics {
  private typealias Label = Metrics.Label

  private var metrics = Metrics()

  /// In Prometheus' text format 0.0.4, for a textfile collector.
  var text: String { metrics.text }

  var json: CanonicalJSON { metrics.json }

  /// - Parameter keys: those that get series of their own.
  init(_ report: StatusReport, _ load: LastLoad?, _ next: LastLoad? = nil, _ keys: [Key] = []) {
    addUp(true)
    addState(report)
    if let load {
      add(
        "kist_last_reload_successful",
        "Whether the last change of configuration and policy was taken.", flag: load.refusal == nil)
    }
    if let next {
      add(
        "kist_start_refused", "Whether kistd would not start again with its files.",
        flag: next.refusal != nil)
    }
    addAudit(report)
    addMemory(report)
    addKeys(report, keys)
  }

  private init(up: Bool) { addUp(up) }

  /// Of a daemon that does not answer.
  static let down = StatusMetrics(up: false)

  mutating func add(counted: MetricsReply) { metrics.add(counted) }

  private mutating func addUp(_ up: Bool) {
    add("kist_up", "Whether kistd answered the request for its status.", flag: up)
  }

  private mutating func addState(_ report: StatusReport) {
    add("kist_build_info", "The version of kistd.", [([("version", report.productVersion)], 1)])
    add(
      "kist_state", "The state of kistd: 1 for the present one.", oneOf: Self.states, "state",
      is: report.state)
    add("kist_serving", "Whether requests are served.", flag: report.state == "serving")
    add(
      "kist_ready", "Whether requests are served and the disk of the audit log has enough space.",
      flag: report.isReady)
    add("kist_rehearsal", "Whether kistd is a sandbox.", flag: report.rehearsal)
    add("kist_start_time_seconds", "When kistd started, in seconds since 1970.", report.started)
    add("kist_connections", "Open connections.", UInt64(report.connections))
    add(
      "kist_unmatched_grants", "Grants that can match nobody on this kernel.",
      UInt64(report.unmatchedGrants.split(separator: " ").count))
  }

  private mutating func addAudit(_ report: StatusReport) {
    add(
      "kist_audit_condition",
      "The condition of the audit log: 1 for the present one; all 0 while locked.",
      oneOf: Self.conditions, "condition",
      is: report.auditCondition)
    if report.isStoreOpen {
      add("kist_audit_records", "Records in the audit log.", report.auditSize)
    }
    add("kist_audit_free_bytes", "Free space on the disk of the audit log.", report.auditFree)
  }

  private mutating func addMemory(_ report: StatusReport) {
    let promises = report.promises.map {
      ([("promise", $0.name)], $0.isHeld ? 1 : 0) as ([Label], UInt64)
    }
    add("kist_memory_promise_held", "Whether a promise of kist status --memory is held.", promises)
    add("kist_arena_capacity_bytes", "Size of the secret memory for keys.", report.arenaCapacity)
    add("kist_arena_used_bytes", "Secret memory in use.", report.arenaUsed)
    add("kist_arena_peak_bytes", "The most secret memory in use since the start.", report.arenaPeak)
    add("kist_stack_capacity_bytes", "Size of the stacks in secret memory.", report.stackCapacity)
    add("kist_resident_memory_bytes", "Memory of the process that is in RAM.", report.residentBytes)
    add(
      "kist_locked_memory_bytes", "Memory of the process that cannot be swapped.",
      report.lockedBytes)
    add("kist_swapped_memory_bytes", "Memory of the process that is in swap.", report.swappedBytes)
  }

  private mutating func addKeys(_ report: StatusReport, _ keys: [Key]) {
    if report.isStoreOpen { add("kist_keys", "Keys in the key store.", UInt64(report.keys)) }
    if report.isStoreOpen {
      add(
        "kist_key_store_fill_percent",
        "The share of what the fullest of the key store's files may have.", UInt64(report.storeFill)
      )
    }
    if report.nextKeyEnd > 0 {
      add(
        "kist_next_key_end_timestamp_seconds",
        "When the first key in use ends, in seconds since 1970.", report.nextKeyEnd)
    }
    add(
      "kist_key_info", "A key that the caller may list.",
      keys.map { ([("key", $0.label), ("role", $0.role), ("state", $0.state)], 1) })
    add("kist_key_uses_total", "Uses of a key.", keys.map { ([("key", $0.label)], $0.uses) })
    add(
      "kist_key_last_use_timestamp_seconds", "When a key was last used, in seconds since 1970.",
      Self.moments(keys, \.lastUse))
    add(
      "kist_key_end_timestamp_seconds", "When a key ends, in seconds since 1970.",
      Self.moments(keys, \.notAfter))
  }

  /// The states and conditions of a status report [OP-STATUS-1] [OP-STATUS-2].
  private static let states = ["audit-unavailable", "failed", "locked", "serving"]
  private static let conditions = ["ample", "failed", "full", "low"]

  private static func moments(_ keys: [Key], _ moment: KeyPath<Key, Int64?>) -> [([Label], UInt64)]
  {
    keys.compactMap { key in
      key[keyPath: moment].map { ([("key", key.label)], UInt64(clamping: $0)) }
    }
  }

  private mutating func add(_ name: String, _ help: String, _ value: UInt64) {
    add(name, help, [([], value)])
  }

  private mutating func add(_ name: String, _ help: String, flag: Bool) {
    add(name, help, flag ? 1 : 0)
  }

  /// A series for each possible value, so that none disappears when another becomes true.
  private mutating func add(
    _ name: String, _ help: String, oneOf values: [String], _ label: String, is present: String
  ) {
    add(name, help, values.map { ([(label, $0)], $0 == present ? 1 : 0) })
  }

  private mutating func add(
    _ name: String, _ help: String, _ samples: [(labels: [Label], value: UInt64)]
  ) { metrics.add(name, help, samples) }
}
