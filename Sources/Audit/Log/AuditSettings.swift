package import Crypto
package import Format
package import Host

/// How a log is written.
package struct AuditSettings: Sendable {
  package let boot: BootID
  package let clock: @Sendable () -> Timestamp
  /// A segment that has reached this many bytes is followed by a new one. Opening a log reads one
  /// segment.
  package var segmentLimit = 64 << 20
  /// A segment whose first record is this old, in microseconds, is followed by a new one at the
  /// next record; nil for no limit.
  package var segmentAge: Int64?
  /// Space is zeroed ahead of its use, this many bytes at a time.
  package var allocation = 1 << 20
  /// Bytes kept in reserve for a full disk; with 0, a full disk ends the log.
  package var reserve = 0
  /// With fewer free bytes than this the log counts as not ready, but still takes records.
  package var lowSpace = 0
  /// `prev` of the first record: the ceremony transcript's hash, or zeros.
  package var genesis: Digest256?

  /// Called after each commit with its number of records.
  package var noteCommit: @Sendable (Int) -> Void = { _ in }
  /// Starts the log's own thread, on demand.
  package var startThread: CalledThread.Starting = { Thread.start($0) }

  package init(boot: BootID, clock: @escaping @Sendable () -> Timestamp) {
    self.boot = boot
    self.clock = clock
  }

  var firstPrevious: Digest256 { genesis ?? .zero }
}

/// The kernel's name for this boot: the sixteen bytes of `/proc/sys/kernel/random/boot_id`.
package struct BootID: Hashable, Sendable {
  /// 32 lower-case digits.
  package let text: String

  /// Parses a UUID with or without hyphens and a final newline; nil for anything else.
  package init?(_ text: some StringProtocol) {
    let digits = String(text.filter { $0 != "-" && $0 != "\n" })
    guard let bytes = Hex.decode(digits), bytes.count == 16 else { return nil }
    self.text = Hex.encode(bytes)
  }
}
