internal import Glibc

/// How much memory this process may lock.
enum MemoryLock {
  /// `RLIMIT_MEMLOCK` in bytes; nil if there is no limit. It does not apply to a process with `CAP_IPC_LOCK`.
  static var limit: UInt64? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else { return nil }
    return UInt64(limit.rlim_cur)
  }
}
