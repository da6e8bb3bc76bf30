import CSeccomp
import Glibc

/// The allow-list of system calls for a serving daemon; any other call kills the process at once,
/// with SIGSYS.
///
/// It can start no program and no process, make no socket, no executable page and no file with
/// set-user-ID or set-group-ID, and trace or signal no other process.
enum SystemCallFilter {
  enum Failure: Error, Equatable {
    /// The kernel supports no filter.
    case unsupported
    /// libseccomp or the kernel refused this filter: its error number.
    case refused(Int32)
  }

  /// Puts the filter in force for this thread and all that it will start; cannot be undone.
  ///
  /// `PR_SET_NO_NEW_PRIVS` must be set.
  static func load() throws(Failure) {
    guard let context = unsafe seccomp_init(kist_seccomp_kill_process) else { throw .unsupported }
    defer { unsafe seccomp_release(context) }
    // Another architecture's calls have other numbers, so they are killed as well.
    try check(unsafe seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, kist_seccomp_kill_process))
    for rule in rules { try unsafe add(rule, to: context) }
    let error = unsafe seccomp_load(context)
    guard error != -EINVAL, error != -ENOSYS else { throw .unsupported }
    try check(error)
  }

  /// The seccomp mode of the calling thread, as /proc/self/status shows it: 2 is a filter.
  static var mode: UInt64? { ProcStatus().number("Seccomp") }
}

extension SystemCallFilter {
  /// A call that is allowed, or refused with an error, if every condition on its arguments holds.
  private struct Rule {
    let name: String
    var conditions: [Condition] = []
    /// nil allows the call.
    var refusal: Int32?
  }

  /// A condition on the argument at an index from 0.
  private enum Condition {
    case equals(UInt32, UInt64)
    /// All of these bits are set.
    case has(UInt32, UInt64)
    /// None of these bits is set.
    case lacks(UInt32, UInt64)

    var comparison: scmp_arg_cmp {
      switch self {
      case .equals(let place, let value):
        scmp_arg_cmp(arg: place, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
      case .has(let place, let bits):
        scmp_arg_cmp(arg: place, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: bits)
      case .lacks(let place, let bits):
        scmp_arg_cmp(arg: place, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: 0)
      }
    }
  }

  private static var rules: [Rule] { plain.map { Rule(name: $0) } + filtered }

  private static let plain = [
    // Connections: the listening sockets exist already, and no socket is made.
    "accept4", "recvmsg", "shutdown", "poll", "ppoll",
    // Files: landlock decides which.
    "statfs", "close", "read", "pread64", "write", "pwrite64", "writev", "lseek", "fstat",
    "newfstatat", "statx", "ftruncate", "fsync",
    "fdatasync", "flock", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir",
    "mkdirat", "getdents64", "readlink", "readlinkat",
    // Memory for malloc, Argon2 and threads' stacks; nothing here makes a page executable.
    "brk", "munmap", "mremap", "madvise",
    // Threads, their locks and their end.
    "futex", "set_robust_list", "rseq", "sched_yield", "sched_getaffinity", "exit", "exit_group",
    // Signals to ourselves, and their handlers.
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigtimedwait", "restart_syscall",
    // Sleeping, and the time when the kernel does not answer in user space.
    "clock_gettime", "gettimeofday", "time", "clock_getres", "clock_nanosleep", "nanosleep",
    "getrandom",
    // Harmless queries of libc and OpenSSL.
    "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid", "sysinfo", "uname",
  ]

  private static var filtered: [Rule] {
    let executable = UInt64(PROT_EXEC)
    return [
      // Nothing that other users could start as us.
      Rule(name: "openat", conditions: [.lacks(3, setID)]),
      Rule(name: "open", conditions: [.lacks(2, setID)]),
      Rule(name: "mmap", conditions: [.lacks(2, executable)]),
      Rule(name: "mprotect", conditions: [.lacks(2, executable)]),
      // No address: a datagram to the service manager goes over a socket that is already connected.
      Rule(name: "sendto", conditions: [.equals(4, 0)]),
      Rule(name: "setsockopt", conditions: [.equals(1, UInt64(SOL_SOCKET))]),
      Rule(name: "getsockopt", conditions: [.equals(1, UInt64(SOL_SOCKET))]),
      // Only threads of this process. A filter cannot see the flags of clone3, which are in memory:
      // told that the kernel has no such call, libc falls back to clone.
      Rule(name: "clone", conditions: [.has(0, cloneThread)]),
      Rule(name: "clone3", refusal: ENOSYS),
      // For abort(3), so that a crash of ours still looks like one.
      Rule(name: "tgkill", conditions: [.equals(0, UInt64(getpid()))]),
      // Only to read a limit, not to set one.
      Rule(name: "prlimit64", conditions: [.equals(2, 0)]),
      Rule(name: "prctl", conditions: [.equals(0, getDumpable)]),
    ]
  }

  /// `CLONE_THREAD` and `PR_GET_DUMPABLE`, from headers that Swift does not import.
  private static let cloneThread: UInt64 = 0x10000
  private static let setID = UInt64(S_ISUID | S_ISGID)
  private static let getDumpable: UInt64 = 3

  private static func add(_ rule: Rule, to context: scmp_filter_ctx) throws(Failure) {
    let number = unsafe seccomp_syscall_resolve_name(rule.name)
    // This architecture does not have the call.
    guard number >= 0 else { return }
    let action = rule.refusal.map { kist_seccomp_refuse(UInt16($0)) } ?? kist_seccomp_allow
    let comparisons = rule.conditions.map(\.comparison)
    try check(
      unsafe seccomp_rule_add_array(context, action, number, UInt32(comparisons.count), comparisons)
    )
  }

  private static func check(_ result: Int32) throws(Failure) {
    guard result == 0 else { throw .refused(-result) }
  }
}
