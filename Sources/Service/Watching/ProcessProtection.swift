/// How the process's memory is protected from the rest of the machine.
package struct ProcessProtection: Hashable, Sendable {
  /// Whether the process may be dumped or traced by its own user.
  package var dumpable = false
  /// Bytes of the process that are locked in memory, and bytes in swap.
  package var lockedBytes: UInt64 = 0
  package var swappedBytes: UInt64 = 0
  /// Bytes of the process that are resident in memory.
  package var residentBytes: UInt64 = 0
  /// Whether a crash may leave a core file.
  package var coreDumps = false
  /// `kernel.yama.ptrace_scope`; nil if the kernel has no Yama.
  package var ptraceScope: UInt64?
  /// The kernel's mode: 0 none, 2 a filter.
  package var seccomp: UInt32 = 0
  /// Whether files outside the daemon's own directories cannot be opened.
  package var landlock = false

  package init() {}
}
