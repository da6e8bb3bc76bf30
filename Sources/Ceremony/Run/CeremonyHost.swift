package import Audit
package import Format

/// The machine that a ceremony runs on.
package struct CeremonyHost: Sendable {
  package let boot: BootID
  package let clock: @Sendable () -> Timestamp
  /// Every file that the running program has code from, in ascending order of path.
  package let software: [LoadedFile]
  /// Conditions of the machine that are not as they should be.
  package let conditions: @Sendable () -> [HostCondition]

  /// Whether a path belongs to the user who runs this.
  package let isOwn: @Sendable (_ path: String) -> Bool
  /// Whether anybody other than this user and root can write to a directory, or change the path to it.
  package let isExposed: @Sendable (_ path: String) -> Bool

  package init(
    boot: BootID, clock: @escaping @Sendable () -> Timestamp, software: [LoadedFile], conditions: @escaping @Sendable () -> [HostCondition],
    isOwn: @escaping @Sendable (String) -> Bool, isExposed: @escaping @Sendable (String) -> Bool
  ) {
    (self.boot, self.clock, self.software, self.conditions, self.isOwn, self.isExposed) = (boot, clock, software, conditions, isOwn, isExposed)
  }
}
