package import Audit
package import CryptoBackend
package import Encoding

/// The machine that a ceremony runs on.
package struct CeremonyHost: Sendable {
  package let boot: BootID
  package let clock: @Sendable () -> Timestamp
  /// SHA-256 of the running program.
  package let software: Digest256
  /// What is not as it should be on the machine.
  package let conditions: @Sendable () -> [HostCondition]

  package init(boot: BootID, clock: @escaping @Sendable () -> Timestamp, software: Digest256, conditions: @escaping @Sendable () -> [HostCondition]) {
    (self.boot, self.clock, self.software, self.conditions) = (boot, clock, software, conditions)
  }
}
