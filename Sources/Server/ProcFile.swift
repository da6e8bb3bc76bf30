import Format
import Glibc

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
