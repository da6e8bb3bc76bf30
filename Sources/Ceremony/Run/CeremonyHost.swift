package import Audit
package import CryptoBackend
package import Encoding

/// The machine that a ceremony runs on.
package struct CeremonyHost: Sendable {
  package let boot: BootID
  package let clock: @Sendable () -> Timestamp
  /// SHA-256 of the running program.
  package let software: Digest256
  /// Conditions of the machine that are not as they should be.
  package let conditions: @Sendable () -> [HostCondition]

  /// Whether a path belongs to the user who runs this.
  package let isOwn: @Sendable (_ path: String) -> Bool
  /// Whether anybody other than this user and root can write to a directory, or change the path to it.
  package let isExposed: @Sendable (_ path: String) -> Bool

  package init(
    boot: BootID, clock: @escaping @Sendable () -> Timestamp, software: Digest256, conditions: @escaping @Sendable () -> [HostCondition],
    isOwn: @escaping @Sendable (String) -> Bool, isExposed: @escaping @Sendable (String) -> Bool
  ) {
    (self.boot, self.clock, self.software, self.conditions, self.isOwn, self.isExposed) = (boot, clock, software, conditions, isOwn, isExposed)
  }
}
