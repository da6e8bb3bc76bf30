import CLinux
import Format
import Glibc
import Host

extension StatusReport {
  /// Sets how the process's memory is protected, as the kernel reports it now; protection that it
  /// does not report counts as absent.
  mutating func describeProcess() {
    let status = ProcStatus()
    dumpable = kist_dumpable() != 0
    lockedBytes = status.bytes("VmLck")
    swappedBytes = status.bytes("VmSwap")
    residentBytes = status.bytes("VmRSS")
    coreDumps = kist_may_dump_core() != 0
    ptraceScope = ProcFile.ptraceScope.text().flatMap { UInt64($0.prefix { $0.isNumber }) }
    seccomp = status.number("Seccomp").map { UInt32(clamping: $0) } ?? 0
    landlock = Self.isRootHidden
    codeIntact = Self.isCodeIntact
  }

  /// A page of code that was written to is the process's own from then on, also after the probe or
  /// breakpoint is gone.
  private static var isCodeIntact: Bool {
    guard let mappings = ProcFile.mappings.text(cap: 1 << 20) else { return false }
    var isCode = false
    for line in mappings.lines() {
      // A mapping's first line begins with its address in hexadecimal, the others with a name.
      if line.first?.isUppercase == false { isCode = line.contains(" r-xp ") }
      if isCode, line.hasPrefix("Anonymous:"), !line.hasSuffix(" 0 kB") { return false }
    }
    return true
  }

  /// Everybody may list the root directory; only landlock refuses it.
  private static var isRootHidden: Bool {
    let root = unsafe open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard root >= 0 else { return errno == EACCES }
    close(root)
    return false
  }
}

extension MetricsReply {
  /// Adds how much of what is limited is in use, and the process's time.
  mutating func addProcess(_ connections: ConnectionCaps) {
    for (socket, open) in [
      ("services", connections.services), ("operators", connections.operators),
    ] {
      add(.socketConnections, open.count, [socket])
      add(.socketConnectionsLimit, open.total, [socket])
    }
    for pool in SecretStack.Pool.allCases {
      let usage = SecretStack.usage(of: pool)
      add(.stacks, usage.used, [pool.rawValue])
      add(.stacksLimit, usage.count, [pool.rawValue])
    }
    // Microseconds, by POSIX.
    add(.processorTime, clock() * 1000)
  }
}
