import CLinux
import Crypto
import Glibc
import Host
import Policy

/// The rights that the process drops before it holds a secret; a step that fails stops the start.
enum Hardening {
  /// No new rights, no core dumps, no tracing by the same user.
  static func restrictProcess() throws(StartFailure) {
    guard kist_no_new_privileges() == 0, kist_disable_core_dumps() == 0, kist_set_dumpable(0) == 0,
      kist_dumpable() == 0
    else {
      throw StartFailure(
        .osError,
        "cannot forbid core dumps and tracing: \(SystemError.text(errno)); run on a kernel with prctl(2)"
      )
    }
  }

  static func installArena(_ memory: MemoryConfiguration) throws(StartFailure) {
    do throws(SecretMemoryError) {
      try SecretArena.install(
        capacity: memory.arenaSize, allowMlockFallback: memory.allowsMlockFallback)
    } catch {
      throw StartFailure(.osError, remedy(for: error, memory))
    }
    if SecretArena.usage.kind == .mlock {
      Diagnostics.write(
        .warning, "arena-fallback",
        [("kind", "mlock"), ("meaning", "root can read the keys of this process")])
    }
    do throws(CryptoError) { try CryptoBackend.start(arena: true) } catch {
      throw StartFailure(
        .software, "OpenSSL does not start: install libssl3 3.0 or later, with its default provider"
      )
    }
  }

  /// Maps a secret stack for each possible connection and for the daemon's own threads.
  ///
  /// - Returns: the limits, with fewer connections if the limit on locked memory allows fewer
  ///   stacks.
  static func installStacks(_ limits: LimitsConfiguration, _ memory: MemoryConfiguration)
    throws(StartFailure) -> LimitsConfiguration
  {
    let operators = limits.operatorConnections + ConnectionCaps.keptForLock
    let others = ownThreads + operators
    let wanted = others + limits.connections
    do throws(SecretMemoryError) {
      try SecretStack.install(
        count: ownThreads, operators: operators, services: limits.connections,
        allowMlockFallback: memory.allowsMlockFallback)
    } catch { throw StartFailure(.osError, remedy(for: error, memory)) }
    let connections = SecretStack.usage.count - others
    guard connections < limits.connections else { return limits }
    guard connections >= fewestConnections else {
      throw StartFailure(.osError, remedy(for: .refused(errno: EAGAIN), memory))
    }
    Diagnostics.write(
      .warning, "connections-limited",
      [
        ("connections", String(connections)), ("configured", String(limits.connections)),
        ("limit", "RLIMIT_MEMLOCK"),
        ("bytes", MemoryLock.limit.map { String($0) } ?? "none"),
        ("needed", String(memory.arenaSize + wanted * SecretStack.byteCount)),
        (
          "meaning",
          "each connection has a stack in locked memory; raise LimitMEMLOCK= (ulimit -l) or make memory.arena_size smaller"
        ),
      ])
    return limits.with(connections: connections)
  }

  /// Raises the limit on file descriptors as far as it goes. The caps on connections must fit it:
  /// without a descriptor the log can begin no new segment.
  static func raiseDescriptorLimit(for limits: LimitsConfiguration) throws(StartFailure) {
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    let needed = limits.connections + limits.operatorConnections + ownDescriptors
    var limit = rlimit()
    unsafe getrlimit(kind, &limit)
    limit.rlim_cur = limit.rlim_max
    if unsafe setrlimit(kind, &limit) == 0, limit.rlim_cur >= needed { return }
    throw StartFailure(
      .osError,
      """
      limits.connections and limits.operator_connections need \(needed) file descriptors: RLIMIT_NOFILE is \(limit.rlim_max); \
      raise LimitNOFILE= (ulimit -n), or make them smaller
      """)
  }

  /// For sockets, the files that the daemon keeps open, and those that its threads open for a
  /// moment.
  private static let ownDescriptors = 64
  /// The main thread, two acceptors, the log's, a timer's, and those of logs that were closed a
  /// moment ago.
  private static let ownThreads = 8
  /// With fewer connections than this the daemon does not start.
  private static let fewestConnections = 4

  /// Becomes the configured user; does nothing if none is configured or the process is not root.
  static func drop(to process: ProcessConfiguration) throws(StartFailure) {
    guard let user = process.user, geteuid() == 0 else { return }
    guard kist_become(user.id, process.group?.id ?? user.id) == 0 else {
      throw StartFailure(
        .noPermission,
        "cannot become user \(user): \(SystemError.text(errno)); see [process] in the configuration"
      )
    }
  }

  static func selfTest() throws(StartFailure) {
    let failed = SelfTest.run()
    guard failed.isEmpty else {
      let names = failed.map { "\($0)" }.joined(separator: ", ")
      throw StartFailure(
        .software, "self-test failed: \(names); do not use this machine's OpenSSL or libsodium")
    }
  }

  private static func remedy(for error: SecretMemoryError, _ memory: MemoryConfiguration) -> String
  {
    let size = "\(memory.arenaSize >> 20) MiB"
    switch error {
    case .refused(errno: ENOSYS):
      return """
        this kernel has no memfd_secret(2): boot with secretmem.enable=1, or set memory.allow_mlock_fallback = true and \
        accept that root can read the keys
        """
    // mlock(2) says this, too, to who may lock nothing at all.
    case .refused(errno: EPERM) where MemoryLock.limit != 0:
      return
        "memfd_secret(2) is refused: a seccomp filter, as of a container or a unit's SystemCallFilter=, must allow it; no limit on memory helps"
    case .refused(errno: EAGAIN), .refused(errno: ENOMEM), .refused(errno: EPERM):
      return """
        cannot lock \(size) for memory.arena_size and \(SecretStack.byteCount >> 10) KiB for each connection's stack: \
        RLIMIT_MEMLOCK is \(MemoryLock.limit.map { "\($0 >> 10) KiB" } ?? "not set"); raise LimitMEMLOCK= (ulimit -l), or make memory.arena_size smaller
        """
    case .refused(let number):
      return "cannot map \(size) of secret memory: \(SystemError.text(number))"
    case .exhausted: return "the arena is too small; raise memory.arena_size"
    }
  }
}

/// How much memory this process may lock.
enum MemoryLock {
  /// `RLIMIT_MEMLOCK` in bytes; nil if there is no limit. It does not apply to a process with
  /// `CAP_IPC_LOCK`.
  static var limit: UInt64? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return UInt64(limit.rlim_cur)
  }
}
