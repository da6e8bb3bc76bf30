import Host
import Policy

/// Whether systemd has the units and starts them.
let unitChecks: [CheckUp.Check] = [checkPresence, checkStartAtBoot, checkWatchdog]

@Sendable private func checkPresence(_ host: Host) -> [Finding] {
  guard !host.isTrial else { return [] }
  return Unit.names.compactMap { name in
    guard let unit = host.unit(name) else {
      return Finding(
        .unitMissing, name, "systemd has no unit \(name).",
        cure: "Install the package kistd again: apt-get install --reinstall kistd.")
    }
    if unit.isMasked {
      let cure =
        "Run systemctl unmask \(name), and if it was masked while it ran, systemctl restart \(name) when somebody can unlock."
      return Finding(.unitMasked, unit.path, "\(name) is masked, so it cannot start.", cure: cure)
    }
    guard unit.isReplaced else { return nil }
    return Finding(
      .unitReplaced, unit.path,
      "\(unit.path) replaces the package's \(name), and will miss its changes.",
      cure: "Keep only what you change, in a drop-in: systemctl edit \(name).")
  }
}

@Sendable private func checkStartAtBoot(_ host: Host) -> [Finding] {
  let timers = ["kist-metrics.timer", "kist-doctor.timer"].map { ($0, "timers.target") }
  let links =
    [
      (Unit.daemon, "multi-user.target"), (Unit.services, "sockets.target"),
      (Unit.operators, "sockets.target"),
    ] + timers
  return links.compactMap { name, target in
    guard let unit = host.unit(name) ?? Unit(name, in: host.surroundings), !unit.isMasked,
      !host.surroundings.has("/etc/systemd/system/\(target).wants/\(name)")
    else { return nil }
    return Finding(
      .unitDisabled, name, "\(name) does not start when the machine boots.",
      cure: "Run systemctl enable \(target == "timers.target" ? "--now " : "")\(name).")
  }
}

@Sendable private func checkWatchdog(_ host: Host) -> [Finding] {
  guard let seconds = host.unit(Unit.daemon)?.value("WatchdogSec"), !seconds.isEmpty,
    seconds != "0", let configuration = try? host.written.get(),
    configuration.unlock == nil
  else { return [] }
  return [
    Finding(
      .watchdogWithPeople, Unit.daemon,
      "WatchdogSec=\(seconds) restarts a daemon that people unlock, and it stays locked until they come.",
      cure: "Take WatchdogSec= out, or unlock by a credential.")
  ]
}

/// Whether the daemon's unit still protects it as the package's does, and lets it start.
let unitSettingChecks: [CheckUp.Check] = [checkSettings, checkSystemCalls, checkLockedMemory]

/// What protects the daemon in the unit that the package ships.
private let shipped = [
  ("LimitCORE", "0"), ("MemorySwapMax", "0"), ("NoNewPrivileges", "yes"), ("UMask", "0027"),
  ("KeyringMode", "private"),
  ("Environment", "SWIFT_BACKTRACE=enable=no"), ("ProtectSystem", "strict"), ("ProtectHome", "yes"),
  ("PrivateTmp", "yes"), ("PrivateDevices", "yes"),
  ("PrivateNetwork", "yes"), ("RestrictAddressFamilies", "AF_UNIX"), ("CapabilityBoundingSet", ""),
  ("AmbientCapabilities", ""),
  ("MemoryDenyWriteExecute", "yes"), ("Restart", "on-failure"), ("StartLimitIntervalSec", "0"),
]

@Sendable private func checkSettings(_ host: Host) -> [Finding] {
  guard let unit = host.unit(Unit.daemon), !unit.isMasked else { return [] }
  return shipped.compactMap { name, value in
    let found = unit.value(name)
    guard found != value else { return nil }
    return Finding(
      .unitWeakened, Unit.daemon,
      "\(Unit.daemon) has \(found.map { "\(name)=\($0)" } ?? "no \(name)=") in place of \(name)=\(value).",
      cure: "See systemctl cat \(Unit.daemon) for the file that changes it, and take that line out."
    )
  }
}

@Sendable private func checkSystemCalls(_ host: Host) -> [Finding] {
  guard let unit = host.unit(Unit.daemon), !unit.isMasked,
    host.configuration?.memory.allowsMlockFallback != true
  else { return [] }
  let allowed = unit.words("SystemCallFilter")
  guard !allowed.isEmpty else { return [] }
  return ["memfd_secret", "seccomp", "landlock_create_ruleset"].filter { !allowed.contains($0) }.map
  { call in
    Finding(
      .unitBlocksCall, Unit.daemon,
      "SystemCallFilter= does not allow \(call), which kistd needs to start.",
      cure: "Add SystemCallFilter=\(call) to a drop-in: systemctl edit \(Unit.daemon).")
  }
}

@Sendable private func checkLockedMemory(_ host: Host) -> [Finding] {
  guard let unit = host.unit(Unit.daemon), !unit.isMasked, let configuration = host.configuration
  else { return [] }
  // systemd's own default is 8 MiB; with this capability there is no limit.
  let text = unit.value("LimitMEMLOCK") ?? "8M"
  guard let limit = bytes(text), !unit.words("AmbientCapabilities").contains("CAP_IPC_LOCK") else {
    return []
  }
  let needed =
    configuration.memory.arenaSize
    + (configuration.limits.connections + configuration.limits.operatorConnections)
    * SecretStack.byteCount
  guard limit < needed else { return [] }
  return [
    Finding(
      .unitMemoryLimit, Unit.daemon,
      "LimitMEMLOCK=\(text) is less than the \(needed >> 20) MiB that the arena and the connections' stacks need.",
      cure:
        "Raise LimitMEMLOCK= in a drop-in, or make memory.arena_size or limits.connections smaller."
    )
  ]
}

/// The bytes of a limit such as `2G`; nil for `infinity`.
private func bytes(_ text: String) -> Int? {
  guard let unit = text.last, let number = Int(text.prefix { $0.isNumber }) else { return nil }
  let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]
  return number << (shifts[unit] ?? 0)
}
