import Policy

/// Whether the kernel has what the daemon protects keys with.
let kernelChecks: [CheckUp.Check] = [checkSecretMemory, checkConfinement]

/// Errors of `memfd_secret(2)`.
private enum Refusal {
  static let again: Int32 = 11
  static let memory: Int32 = 12
  static let noSuchCall: Int32 = 38
}

/// The call fails for three reasons that look alike; each has another cure.
@Sendable private func checkSecretMemory(_ host: Host) -> [Finding] {
  let code = host.surroundings.kernel.secretMemory
  guard code != 0, host.configuration?.memory.allowsMlockFallback != true else { return [] }
  if code == Refusal.again || code == Refusal.memory {
    return [
      Finding(
        .secretMemoryLimit, "", "This user may lock too little memory for memfd_secret(2).",
        cure: "Raise it: ulimit -l here, LimitMEMLOCK= for the daemon.")
    ]
  }
  let release = host.surroundings.line("/proc/sys/kernel/osrelease") ?? ""
  let version = release.split(whereSeparator: { !$0.isNumber }).prefix(2).compactMap { Int($0) }
  if !version.isEmpty, version.lexicographicallyPrecedes([5, 14]) {
    return [
      Finding(
        .kernelTooOld, "", "Linux \(release) has no memfd_secret(2).",
        cure: "Run Linux 5.14 or later; Debian 12 has 6.1.")
    ]
  }
  // On by default from 6.5 on.
  let isOn = host.bootWords.contains {
    ["secretmem.enable=1", "secretmem.enable=y", "secretmem.enable"].contains($0)
  }
  let isOff =
    host.bootWords.contains { ["secretmem.enable=0", "secretmem.enable=n"].contains($0) }
    || (!isOn && version.lexicographicallyPrecedes([6, 5]))
  if isOff, code == Refusal.noSuchCall {
    return [
      Finding(
        .secretMemoryOff, "",
        "Linux \(release) was booted without secretmem.enable=1, so there is no memfd_secret(2).",
        cure:
          "Add secretmem.enable=1 to GRUB_CMDLINE_LINUX in /etc/default/grub, run update-grub, and reboot."
      )
    ]
  }
  return [
    Finding(
      .secretMemoryBlocked, "",
      "The kernel has memfd_secret(2), and a seccomp filter, as of a container, refuses it (errno \(code)).",
      cure: "Allow memfd_secret in the container's list of system calls; no limit on memory helps.")
  ]
}

@Sendable private func checkConfinement(_ host: Host) -> [Finding] {
  var findings: [Finding] = []
  if !host.surroundings.kernel.hasLandlock, host.configuration?.process.landlock != false {
    findings.append(
      Finding(
        .landlockMissing, "", "The kernel has no landlock, so kistd does not start.",
        cure: "Add landlock to the list lsm= of the kernel's command line, and reboot."))
  }
  if !host.surroundings.has("/proc/sys/kernel/seccomp/actions_avail"),
    host.configuration?.process.seccomp != false
  {
    findings.append(
      Finding(
        .seccompMissing, "", "The kernel has no seccomp filters, so kistd does not start.",
        cure: "Run a kernel with CONFIG_SECCOMP_FILTER."))
  }
  return findings
}

extension Host {
  fileprivate var bootWords: [Substring] {
    (surroundings.line("/proc/cmdline") ?? "").split(separator: " ")
  }
}

/// Whether something keeps the clock right, by which tokens are fresh or stale.
let clockChecks: [CheckUp.Check] = [checkClock]

@Sendable private func checkClock(_ host: Host) -> [Finding] {
  guard let isSynchronised = host.surroundings.kernel.isClockSynchronised else {
    return [
      Finding(
        .notExamined, "", "The kernel does not say whether the clock is right.",
        cure: "Let kist doctor call adjtimex(2): a seccomp filter forbids it.")
    ]
  }
  guard !isSynchronised else { return [] }
  return [
    Finding(
      .clockUnsynchronised, "",
      "Nothing keeps the clock right, and a clock that is minutes wrong refuses every token.",
      cure: "Install and start chrony or systemd-timesyncd, and look at timedatectl.")
  ]
}
