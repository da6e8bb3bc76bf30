internal import CLinux
internal import Glibc
internal import Wire

extension StatusReport {
  /// Sets how the process's memory is protected, as the kernel reports it now; protection that it does not report counts as absent.
  mutating func describeProcess() {
    let status = ProcStatus()
    dumpable = kist_dumpable() != 0
    (lockedBytes, swappedBytes) = (status.bytes("VmLck"), status.bytes("VmSwap"))
    residentBytes = status.bytes("VmRSS")
    coreDumps = kist_may_dump_core() != 0
    ptraceScope = ProcFile.read("/proc/sys/kernel/yama/ptrace_scope").flatMap { UInt64($0.prefix { $0.isNumber }) }
    seccomp = status.number("Seccomp").map { UInt32(clamping: $0) } ?? 0
    landlock = Self.isRootHidden
  }

  /// Everybody may list the root directory; only landlock refuses it.
  private static var isRootHidden: Bool {
    let root = unsafe open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard root >= 0 else { return errno == EACCES }
    close(root)
    return false
  }
}
