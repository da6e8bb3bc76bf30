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

/// Small files of /proc and /etc, read whole with one call.
struct ProcFile: Sendable {
  private let descriptor: Int32

  /// What a confined process can no longer open.
  static let status = ProcFile("/proc/thread-self/status")
  static let mappings = ProcFile("/proc/self/smaps")
  static let ptraceScope = ProcFile("/proc/sys/kernel/yama/ptrace_scope")

  /// Opens these, once and for all.
  static func open() { _ = (status, mappings, ptraceScope) }

  private init(_ path: String) { descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC) }

  /// The text, or nil if it cannot be read or has `cap` bytes or more: a part of it might mean
  /// something else.
  func text(cap: Int = cap) -> String? {
    var bytes = [UInt8](repeating: 0, count: cap)
    var count = 0
    // smaps comes in pieces.
    while count < cap {
      let more = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress?.advanced(by: count), cap - count, off_t(count))
      }
      guard more >= 0 else { return nil }
      guard more > 0 else { return String(validating: bytes.prefix(count), as: UTF8.self) }
      count += more
    }
    return nil
  }

  /// The text of a file that can be opened now.
  static func read(_ path: String) -> String? {
    let file = ProcFile(path)
    defer { close(file.descriptor) }
    return file.text()
  }

  /// The target of a symbolic link, or nil if it cannot be read or is longer than 4095 bytes.
  static func target(of path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: cap)
    let count = unsafe readlink(path, &bytes, cap)
    guard (1..<cap).contains(count) else { return nil }
    return String(validating: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static let cap = 4096
}

/// What /proc says of the process, by the thread that first asked.
struct ProcStatus {
  private let lines: [Substring]

  init() { lines = ProcFile.status.text()?.lines() ?? [] }

  /// The value under this name, or nil.
  func number(_ name: String) -> UInt64? {
    guard let line = lines.first(where: { $0.hasPrefix(name + ":") }) else { return nil }
    return UInt64(
      line.dropFirst(name.utf8.count + 1).drop { $0 == "\t" || $0 == " " }.prefix { $0.isNumber })
  }

  /// A value that is given in KiB, in bytes.
  func bytes(_ name: String) -> UInt64 { (number(name) ?? 0) << 10 }
}
