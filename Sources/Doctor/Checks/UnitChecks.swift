internal import Policy

/// Whether systemd has the units and starts them.
let unitChecks: [CheckUp.Check] = [checkPresence, checkStartAtBoot, checkWatchdog]

@Sendable private func checkPresence(_ host: Host) -> [Finding] {
  guard !host.isTrial else { return [] }
  return Unit.names.compactMap { name in
    guard let unit = host.unit(name) else {
      return Finding(.unitMissing, name, "systemd has no unit \(name).", cure: "Install the package kistd again: apt-get install --reinstall kistd.")
    }
    if unit.isMasked {
      let cure = "Run systemctl unmask \(name), and if it was masked while it ran, systemctl restart \(name) when somebody can unlock."
      return Finding(.unitMasked, unit.path, "\(name) is masked, so it cannot start.", cure: cure)
    }
    guard unit.isReplaced else { return nil }
    return Finding(
      .unitReplaced, unit.path, "\(unit.path) replaces the package's \(name), and will miss its changes.",
      cure: "Keep only what you change, in a drop-in: systemctl edit \(name).")
  }
}

@Sendable private func checkStartAtBoot(_ host: Host) -> [Finding] {
  let timers = ["kist-metrics.timer", "kist-doctor.timer"].map { ($0, "timers.target") }
  let links = [(Unit.daemon, "multi-user.target"), (Unit.services, "sockets.target"), (Unit.operators, "sockets.target")] + timers
  return links.compactMap { name, target in
    guard let unit = host.unit(name) ?? Unit(name, in: host.surroundings), !unit.isMasked, !host.surroundings.has("/etc/systemd/system/\(target).wants/\(name)")
    else { return nil }
    return Finding(
      .unitDisabled, name, "\(name) does not start when the machine boots.", cure: "Run systemctl enable \(target == "timers.target" ? "--now " : "")\(name).")
  }
}

@Sendable private func checkWatchdog(_ host: Host) -> [Finding] {
  guard let seconds = host.unit(Unit.daemon)?.value("WatchdogSec"), !seconds.isEmpty, seconds != "0", let configuration = try? host.written.get(),
    configuration.unlock == nil
  else { return [] }
  return [
    Finding(
      .watchdogWithPeople, Unit.daemon, "WatchdogSec=\(seconds) restarts a daemon that people unlock, and it stays locked until they come.",
      cure: "Take WatchdogSec= out, or unlock by a credential.")
  ]
}
