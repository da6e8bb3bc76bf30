package import CryptoBackend
package import Encoding
package import SecretMemory

/// How a log is written.
package struct AuditSettings: Sendable {
  package let boot: BootID
  package let clock: @Sendable () -> Timestamp
  /// A segment that has reached this size, in bytes, is followed by another. Opening reads one segment.
  package var segmentLimit = 64 << 20
  /// A segment whose first record is this old, in microseconds, is followed by another with the next record; nil for no end.
  package var segmentAge: Int64?
  /// Space is zeroed this many bytes at a time, ahead of its use.
  package var allocation = 1 << 20
  /// Bytes that are kept for when the disk is full; 0 keeps none, and a full disk then ends the log.
  package var reserve = 0
  /// Below this many free bytes the log is not ready, though it still takes records.
  package var lowSpace = 0
  /// `prev` of the first record: the ceremony transcript's hash, or zeros.
  package var genesis: Digest256?

  /// Starts the log's own thread, when there is work for one.
  package var startThread: CalledThread.Starting = { Thread.start($0) }

  package init(boot: BootID, clock: @escaping @Sendable () -> Timestamp) { (self.boot, self.clock) = (boot, clock) }

  var firstPrevious: Digest256 { genesis ?? .zero }
}

extension Digest256 {
  static let zero = Digest256(hex: String(repeating: "0", count: 64)) ?? TreeHash.empty
}
