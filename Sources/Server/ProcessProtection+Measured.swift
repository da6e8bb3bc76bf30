internal import CLinux
internal import Glibc
internal import Service

extension ProcessProtection {
  /// As the kernel reports it now; protection that it does not report counts as absent.
  static var measured: ProcessProtection {
    let status = ProcStatus()
    var protection = ProcessProtection()
    protection.dumpable = kist_dumpable() != 0
    (protection.lockedBytes, protection.swappedBytes) = (status.bytes("VmLck"), status.bytes("VmSwap"))
    protection.residentBytes = status.bytes("VmRSS")
    protection.coreDumps = kist_may_dump_core() != 0
    protection.ptraceScope = ProcFile.read("/proc/sys/kernel/yama/ptrace_scope").flatMap { UInt64($0.prefix { $0.isNumber }) }
    protection.seccomp = status.number("Seccomp").map { UInt32(clamping: $0) } ?? 0
    protection.landlock = isRootHidden
    return protection
  }

  /// Everybody may list the root directory; only landlock refuses it.
  private static var isRootHidden: Bool {
    let root = unsafe open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard root >= 0 else { return errno == EACCES }
    close(root)
    return false
  }
}
