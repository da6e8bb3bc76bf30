import Format

/// Where else on the host card numbers could leak; the daemon itself is neither dumped nor swapped.
let leakChecks: [CheckUp.Check] = [
  checkSwap, checkCorePattern, checkDumpable, checkTracing, checkCopying,
]

/// Keys never go to swap; what services make of a token may.
@Sendable private func checkSwap(_ host: Host) -> [Finding] {
  let devices = (host.surroundings.text("/proc/swaps") ?? "").lines().dropFirst().compactMap {
    $0.split(whereSeparator: \.isWhitespace).first.map(String.init)
  }
  return devices.filter { !host.isEncrypted($0) }.map { device in
    Finding(
      .swapUnencrypted, device,
      "Swap at \(device) is not encrypted, and what services keep of tokens may be written there.",
      cure: "Turn it off with swapoff, or encrypt it: crypttab(5) with the option swap.")
  }
}

/// A program that takes dumps gets them whatever the limit on core files.
@Sendable private func checkCorePattern(_ host: Host) -> [Finding] {
  guard let pattern = host.surroundings.line("/proc/sys/kernel/core_pattern"),
    pattern.hasPrefix("|"), !pattern.hasPrefix("|/bin/false")
  else { return [] }
  let program = pattern.dropFirst().prefix { $0 != " " }
  return [
    Finding(
      .corePattern, "/proc/sys/kernel/core_pattern",
      "A crash of a service that opens tokens is dumped to \(program), including card numbers.",
      cure: "Set kernel.core_pattern=core in /etc/sysctl.d, or Storage=none in coredump.conf(5).")
  ]
}

@Sendable private func checkDumpable(_ host: Host) -> [Finding] {
  guard let value = host.surroundings.line("/proc/sys/fs/suid_dumpable"), value == "1" else {
    return []
  }
  return [
    Finding(
      .dumpableSetuid, "/proc/sys/fs/suid_dumpable",
      "fs.suid_dumpable is 1, so programs that changed their user are dumped and traced.",
      cure: "Set fs.suid_dumpable=0 in /etc/sysctl.d.")
  ]
}

@Sendable private func checkTracing(_ host: Host) -> [Finding] {
  let value = host.surroundings.line("/proc/sys/kernel/yama/ptrace_scope")
  guard value == nil || value == "0" else { return [] }
  return [
    Finding(
      .ptraceScope, "/proc/sys/kernel/yama/ptrace_scope",
      "\(value == nil ? "The kernel has no Yama" : "kernel.yama.ptrace_scope is 0"), so one process of a service's user can read another's card numbers.",
      cure: "Set kernel.yama.ptrace_scope=1 in /etc/sysctl.d.")
  ]
}

/// Who is not root and could take keys all the same.
@Sendable private func checkCopying(_ host: Host) -> [Finding] {
  CopyingTools(below: host.surroundings.root).holders.map { holder in
    Finding(
      .copyCapability, holder.program,
      "User \(holder.user) runs \(holder.program) with \(holder.capabilities), so it can have the kernel copy what kistd works with.",
      cure:
        "Run it elsewhere, take that from it (CapabilityBoundingSet= in its unit), or count it among those who have the keys."
    )
  }
}

extension Host {
  /// Whether a swap device is in memory, or on dm-crypt.
  fileprivate func isEncrypted(_ device: String) -> Bool {
    let name = device.split(separator: "/").last ?? ""
    return name.hasPrefix("zram")
      || (surroundings.line("/sys/block/\(name)/dm/uuid") ?? "").hasPrefix("CRYPT-")
  }
}
