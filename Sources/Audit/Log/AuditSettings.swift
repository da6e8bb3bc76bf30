package import CryptoBackend
package import Encoding

/// How a log is written.
package struct AuditSettings: Sendable {
  package let boot: BootID
  package let clock: @Sendable () -> Timestamp
  /// A segment that has reached this size, in bytes, is followed by another. Opening reads one segment.
  package var segmentLimit = 64 << 20
  /// Space is zeroed this many bytes at a time, ahead of its use.
  package var allocation = 1 << 20
  /// `prev` of the first record: the ceremony transcript's hash, or zeros.
  package var genesis: Digest256?

  package init(boot: BootID, clock: @escaping @Sendable () -> Timestamp) { (self.boot, self.clock) = (boot, clock) }

  var firstPrevious: Digest256 { genesis ?? .zero }
}

extension Digest256 {
  static let zero = Digest256(hex: String(repeating: "0", count: 64)) ?? TreeHash.empty
}
