internal import Encoding

/// What /proc says of the calling thread and its process.
struct ProcStatus {
  private let lines: [Substring]

  init() { lines = ProcFile.read("/proc/thread-self/status")?.lines() ?? [] }

  /// The value under this name, or nil.
  func number(_ name: String) -> UInt64? {
    guard let line = lines.first(where: { $0.hasPrefix(name + ":") }) else { return nil }
    return UInt64(line.dropFirst(name.utf8.count + 1).drop { $0 == "\t" || $0 == " " }.prefix { $0.isNumber })
  }

  /// A value that is given in KiB, in bytes.
  func bytes(_ name: String) -> UInt64 { (number(name) ?? 0) << 10 }
}
