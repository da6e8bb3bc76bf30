import Configuration
import Crypto
import Format
import Host
import Policy
import Review

/// Whether the daemon is there, and how it is.
let daemonChecks: [CheckUp.Check] = [checkLastLoad, checkAnswer]

/// Why the last start or reload was refused, as the daemon left it beside its sockets.
@Sendable private func checkLastLoad(_ host: Host) -> [Finding] {
  guard let socket = host.configuration?.service.path, let slash = socket.lastIndex(of: "/"),
    let load = LastLoad(in: host.surroundings.root + socket[..<slash]), let refusal = load.refusal
  else { return [] }
  if load.count == 1 {
    return [
      Finding(
        .startFailed, "", "kistd did not start: \(refusal).",
        cure: "Correct that; systemd tries again every two seconds.")
    ]
  }
  return [
    Finding(
      .reloadRefused, "",
      "kistd refused the changed files and goes on with the old ones: \(refusal).",
      cure: "Correct that and run systemctl reload kistd; until then nobody may restart it.")
  ]
}

@Sendable private func checkAnswer(_ host: Host) -> [Finding] {
  guard let configuration = host.configuration else { return [] }
  let service = configuration.service.path
  let admin = configuration.admin.path
  switch host.surroundings.ask(
    DaemonQuestion(service: service, admin: admin, mayAskStatus: host.mayAskStatus))
  {
  case .gone(let reason):
    return [
      Finding(
        .daemonGone, service, "No daemon answers: \(reason).",
        cure: "Start it with systemctl start kistd, and read systemctl status kistd.")
    ]
  case .silent:
    return [
      Finding(
        .daemonSilent, service, "The daemon accepts connections, but does not answer.",
        cure:
          "See whether it is stopped or overloaded: systemctl status kistd, journalctl -u kistd.")
    ]
  case .closed:
    return [
      Finding(
        .notExamined, service, "You may not connect to the daemon.",
        cure: "Run kist doctor as root, or as a member of the socket's group.")
    ]
  case .locked:
    return [
      Finding(
        .daemonLocked, "", "The key store is locked, and no request is served.",
        cure: "Open it with kist unlock.")
    ]
  case .unavailable:
    return [
      Finding(
        .daemonUnavailable, "", "The audit log cannot be written, and no request is served.",
        cure: "Make room on its disk, or repair the disk and restart kistd.")
    ]
  case .serving(let report):
    return checkConfiguration(host) + checkPolicy(host)
      + (report.map { check($0, host.surroundings.version) } ?? [])
  }
}

/// The log has what the daemon took at its start and at each reload.
private func checkConfiguration(_ host: Host) -> [Finding] {
  guard let written = try? host.written.get().encoded(), let taken = host.taken("configuration"),
    SHA256.hash(written).hex != taken
  else { return [] }
  return [
    Finding(
      .configurationNotInForce, host.surroundings.configuration,
      "The configuration in the file is not the one that the daemon took.",
      cure: "Run systemctl reload kistd, and restart it for what a reload does not apply.")
  ]
}

private func checkPolicy(_ host: Host) -> [Finding] {
  guard let policy = host.grants?.policy, let taken = host.taken("policy"),
    SHA256.hash(Array(policy.canonicalText.utf8)).hex != taken
  else { return [] }
  return [
    Finding(
      .policyNotInForce, host.configuration?.policyDirectory ?? "",
      "The policy in the files is not the one in force, and a restart would take it.",
      cure:
        "Have it approved with kist policy swap and run systemctl reload kistd, or put the old files back."
    )
  ]
}

private func check(_ report: DaemonReport, _ version: String) -> [Finding] {
  let broken = report.broken.map {
    Finding(
      .memoryPromise, "", "The daemon does not hold that \($0).",
      cure: "Look at kist status --memory, and restart kistd once its cause is corrected.")
  }
  guard report.version != version else { return broken }
  return broken + [
    Finding(
      .daemonOutdated, "", "kistd \(report.version) still runs, and kist \(version) is installed.",
      cure: "Restart kistd when somebody is there to unlock it.")
  ]
}

extension Host {
  /// Nobody may, as long as the policy cannot be read.
  fileprivate var mayAskStatus: @Sendable (UInt32, [UInt32]) -> Bool {
    let policy = grants?.policy
    let now = surroundings.now
    return { uid, groups in
      let caller = Caller(uid: uid, gid: groups.first ?? uid, groups: groups, pid: 0)
      return policy?.answer(Question(caller, .status, label: nil, at: now)).isAllowed ?? false
    }
  }
}

/// Whether the daemon runs with libraries that were replaced since it started.
let libraryChecks: [CheckUp.Check] = [checkLibraries]

@Sendable private func checkLibraries(_ host: Host) -> [Finding] {
  guard let started = host.surroundings.daemonStarted else { return [] }
  let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
  let paths = folders.flatMap { folder in
    ["libcrypto.so.3", "libsodium.so.23", "libseccomp.so.2"].map { "\(folder)/\($0)" }
  }
  return paths.compactMap { path in
    guard case .there(let facts) = host.surroundings.look(at: path), facts.changed > started else {
      return nil
    }
    return Finding(
      .libraryReplaced, path, "\(path) was replaced, and kistd runs with the one of before.",
      cure: "Restart kistd when somebody is there to unlock it.")
  }
}

extension Surroundings {
  /// When the oldest kistd that runs was started, in seconds since 1970; nil if none does.
  fileprivate var daemonStarted: Int64? {
    let boot = (text("/proc/stat") ?? "").lines().first { $0.hasPrefix("btime ") }.flatMap {
      Int64($0.dropFirst(6))
    }
    guard let boot else { return nil }
    let starts = names(in: "/proc").filter { $0.allSatisfy(\.isNumber) }.compactMap {
      number -> Int64? in
      // proc(5): the name in parentheses, then from the third field on; the 22nd is the start in
      // hundredths of a second.
      guard let text = text("/proc/\(number)/stat"), text.contains("(kistd) ") else { return nil }
      let fields = text.split(separator: ") ").last?.split(separator: " ") ?? []
      return fields.count > 19 ? Int64(fields[19]).map { boot + $0 / 100 } : nil
    }
    return starts.min()
  }
}
