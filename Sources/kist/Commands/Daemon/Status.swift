import Configuration
import Doctor
import Format
import Host
import KistClient
import Review

extension Command {
  static let status = Command(
    name: "status",
    summary: "say how the daemon is",
    usage: """
      Usage: kist status [--memory | --ready | --metrics [--keys]] [--json]
                  [--socket PATH] [--timeout S]

      Prints the daemon's state, keys, audit log, policy and secret memory, and the
      keys that end within 30 days, of those that you may list. Whatever is held:
      root, and processes with CAP_PERFMON, CAP_SYS_PTRACE or CAP_SYS_ADMIN, can
      have the kernel copy what an operation uses; kist doctor looks for those.

        --memory       only what the daemon promises about its memory, promise by
                       promise: held or NOT HELD
        --ready        only whether it is ready, and why not: locked, the log's disk
                       full or nearly full, or a log that takes nothing more
        --metrics      all of it as numbers, with what the daemon has counted, in the
                       text format of Prometheus; leaves no audit record
        --keys         with --metrics, also each key that you may list, with its end
                       and uses; this leaves an audit record
        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      Exit codes: 0 it answers, 1 it does not; with --memory also 1 if a promise is
      not held, with --ready also 1 if it is not ready.

      """,
    options: [.flag("memory"), .flag("ready"), .flag("metrics"), .flag("keys"), .json],
    daemon: .operators
  ) { arguments throws(CommandFailure) in
    guard ["memory", "ready", "metrics"].count(where: arguments.has) < 2 else {
      throw .usage("--memory, --ready and --metrics exclude each other")
    }
    guard arguments.has("metrics") || !arguments.has("keys") else {
      throw .usage("--keys goes with --metrics")
    }
    if arguments.has("metrics") { return try writeMetrics(arguments) }
    let daemon = try Daemon(arguments)
    let report = try daemon.ask(daemon.client.status())
    if arguments.has("ready") {
      arguments.answer(report.readinessJSON, report.readiness + "\n")
      guard report.isReady else { throw CommandFailure(code: 1) }
      return
    }
    guard arguments.has("memory") else {
      let ending = try daemon.visibleKeys.ending(at: .now)
      let load = daemon.lastLoad
      arguments.answer(report.json(ending, load), report.text(ending, load))
      return
    }
    arguments.answer(report.memoryJSON, report.memoryText)
    guard report.promises.allSatisfy(\.isHeld) else { throw CommandFailure(code: 1) }
  }
}

/// Prints the metrics that there are: of a daemon that does not answer, only that; of one that does
/// not say what it has counted, the others.
private func writeMetrics(_ arguments: Arguments) throws(CommandFailure) {
  var metrics = StatusMetrics.down
  defer { arguments.answer(metrics.json, metrics.text) }
  // What is missing tells of a refusal; it is no second JSON.
  let daemon = try Daemon(arguments, tellsFailures: false)
  let report = try daemon.ask(daemon.client.status())
  metrics = StatusMetrics(
    report, daemon.lastLoad, daemon.nextStart, arguments.has("keys") ? try daemon.visibleKeys : [])
  metrics.add(counted: try daemon.ask(daemon.client.metrics()))
}

/// Something the daemon promises of its memory.
struct MemoryPromise {
  let name, text: String
  let isHeld: Bool
}

extension StatusReport {
  var isReady: Bool { state == "serving" && auditCondition == "ample" }

  /// Whether the daemon can tell its keys and the log's records: not before it is unlocked.
  var isStoreOpen: Bool { !auditRoot.isEmpty }

  fileprivate var readiness: String {
    switch auditCondition {
    case "ample" where isReady: "ready"
    case "low": "NOT READY: the audit log's disk has \(Self.size(auditFree)) left"
    case "full": "NOT READY: the audit log's disk is full; nothing is served until it has space"
    case "failed":
      "NOT READY: the audit log could not be written; repair the disk, then restart kistd"
    default: "NOT READY: \(state)"
    }
  }

  fileprivate var readinessJSON: CanonicalJSON {
    [
      "audit_condition": auditCondition, "audit_free": auditFree, "ready": isReady, "state": state,
    ]
  }

  var promises: [MemoryPromise] {
    let isSecret = arena == "memfd_secret" && stackCapacity > 0
    let isLocked = arenaCapacity > 0 && lockedBytes >= arenaCapacity + stackCapacity
    return [
      MemoryPromise(
        name: "unreadable_from_outside",
        text: "no other process can map the secrets, or read them through /proc", isHeld: isSecret),
      MemoryPromise(
        name: "never_swapped", text: "secrets are never written to swap", isHeld: isLocked),
      MemoryPromise(
        name: "not_dumpable", text: "the process is neither dumped nor traced by its user",
        isHeld: !dumpable),
      MemoryPromise(
        name: "no_core_file", text: "a crash leaves no core file", isHeld: !coreDumps && !dumpable),
      MemoryPromise(
        name: "calls_filtered", text: "a system call that serving does not need ends the process",
        isHeld: seccomp == 2),
      MemoryPromise(
        name: "code_intact",
        text: "no probe stands in the program's code, and none has since it started",
        isHeld: codeIntact),
      MemoryPromise(
        name: "files_confined", text: "no file outside its own directories can be opened",
        isHeld: landlock),
    ]
  }

  fileprivate func text(_ ending: [Key], _ load: LastLoad?) -> String {
    var table = Table(
      ["state", rehearsal ? "\(state) (rehearsal)" : state],
      ["version", productVersion],
      ["started", Timestamp(reported: Int64(clamping: started))?.wholeSeconds ?? "-"],
      ["keys", isStoreOpen ? String(keys) : "-"],
      storeFill >= Self.highFill
        ? [
          "key store",
          "\(storeFill) % FULL: set key_store.destroyed_retention, and destroy keys that nobody needs",
        ] : nil)
    for key in ending { table.add(["key ends", "\(key.label) \(key.expiry(.now, \.day))"]) }
    table.add(
      ["connections", String(connections)],
      ["audit records", isStoreOpen ? String(auditSize) : "-"],
      [
        "audit disk",
        auditCondition.isEmpty ? "-" : "\(auditCondition), \(Self.size(auditFree)) left",
      ],
      ["audit root", auditRoot.isEmpty ? "-" : Hex.encode(auditRoot)],
      ["audit key", auditVerifierKey.isEmpty ? "-" : auditVerifierKey],
      ["policy", policyHash.isEmpty ? "-" : Hex.encode(policyHash)])
    if let refusal = load?.refusal { table.add(["reload", "REFUSED: \(refusal)"]) }
    if !unmatchedGrants.isEmpty {
      table.add([
        "never match",
        "\(unmatchedGrants): this kernel cannot tell units or executables (they need Linux 6.5)",
      ])
    }
    table.add(memoryRows)
    return table.text
  }

  private var memoryRows: [[String]] {
    [
      ["arena", "\(arena), \(Self.size(arenaCapacity))"],
      ["arena used", "\(Self.size(arenaUsed)), at most \(Self.size(arenaPeak)) so far"],
      ["stacks", "\(arena), \(Self.size(stackCapacity))"],
      ["resident", Self.size(residentBytes)],
      ["locked", "\(Self.size(lockedBytes)) of the process, \(Self.size(swappedBytes)) in swap"],
      ["dumpable", dumpable ? "yes" : "no"],
      ["core limit", coreDumps ? "not zero" : "0"],
      ["ptrace scope", ptraceScope.map { String($0) } ?? "no Yama"],
    ]
  }

  fileprivate var memoryText: String {
    let held = promises.map { [$0.isHeld ? "held" : "NOT HELD", $0.text] }
    return Table(memoryRows + CopyingTools().rows + held).text
  }

  fileprivate func json(_ ending: [Key], _ load: LastLoad?) -> CanonicalJSON {
    [
      "audit_condition": auditCondition, "audit_free": auditFree,
      "audit_root": Hex.encode(auditRoot), "audit_size": isStoreOpen ? auditSize : nil,
      "audit_verifier_key": auditVerifierKey, "connections": connections,
      "keys": isStoreOpen ? keys : nil, "keys_ending": ending.map(\.label), "memory": memoryJSON,
      "policy_sha256": Hex.encode(policyHash), "product_version": productVersion,
      "rehearsal": rehearsal, "reload_refused": load?.refusal ?? "",
      "started": Timestamp(reported: Int64(clamping: started))?.wholeSeconds ?? "", "state": state,
      "store_fill": isStoreOpen ? storeFill : nil,
      "unmatched_grants": unmatchedGrants.split(separator: " ").map { String($0) },
    ]
  }

  fileprivate var memoryJSON: CanonicalJSON {
    [
      "arena": arena, "capacity": arenaCapacity, "core_dumps": coreDumps, "dumpable": dumpable,
      "landlock": landlock, "locked": lockedBytes, "peak": arenaPeak,
      "promises": CanonicalJSON.object(promises.map { .init($0.name, .bool($0.isHeld)) }),
      "ptrace_scope": ptraceScope, "resident": residentBytes, "seccomp": seccomp,
      "stacks": stackCapacity, "swapped": swappedBytes, "used": arenaUsed,
    ]
  }

  /// In the largest unit of which there are ten or more, or that leaves no rest.
  private static func size(_ bytes: UInt64) -> String {
    for (unit, name) in [(UInt64(1) << 30, "GiB"), (1 << 20, "MiB")]
    where bytes / unit >= 10 || bytes >= unit && bytes.isMultiple(of: unit) {
      return "\(bytes / unit) \(name)"
    }
    return "\(bytes >> 10) KiB"
  }
}
