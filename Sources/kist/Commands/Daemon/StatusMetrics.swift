internal import KistClient
internal import Wire

/// The daemon's state in the text format of Prometheus, for a textfile collector.
struct StatusMetrics {
  private(set) var text = ""

  init(_ report: StatusReport, _ keys: [Key]) {
    add("kist_build_info", "The daemon's version.", [(["version": report.productVersion], 1)])
    add("kist_serving", "Whether requests are served.", [([:], report.state == "serving" ? 1 : 0)])
    add("kist_connections", "Open connections.", [([:], UInt64(report.connections))])
    add("kist_audit_records", "Records in the audit log.", [([:], report.auditSize)])
    add("kist_audit_free_bytes", "Free space on the audit log's disk.", [([:], report.auditFree)])
    add("kist_arena_used_bytes", "Secret memory in use.", [([:], report.arenaUsed)])
    add("kist_locked_memory_bytes", "Memory that cannot be swapped.", [([:], report.lockedBytes)])
    add("kist_key_info", "Keys that the caller may see.", keys.map { (["key": $0.label, "role": $0.role, "state": $0.state], 1) })
    add("kist_key_operations_total", "Uses of a key.", keys.map { (["key": $0.label], $0.uses) })
    add("kist_key_last_use_timestamp_seconds", "A key's last use.", keys.compactMap { key in key.lastUse.map { (["key": key.label], UInt64(clamping: $0)) } })
    add("kist_key_expiry_timestamp_seconds", "A key's end.", keys.compactMap { key in key.notAfter.map { (["key": key.label], UInt64(clamping: $0)) } })
  }

  private mutating func add(_ name: String, _ help: String, _ samples: [(labels: [String: String], value: UInt64)]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(name.hasSuffix("_total") ? "counter" : "gauge")\n"
    for (labels, value) in samples {
      let inner = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
      text += name + (inner.isEmpty ? "" : "{\(inner)}") + " \(value)\n"
    }
  }

  private static func escaped(_ value: String) -> String {
    value.map { $0 == "\\" ? "\\\\" : $0 == "\"" ? "\\\"" : $0 == "\n" ? "\\n" : String($0) }.joined()
  }
}
