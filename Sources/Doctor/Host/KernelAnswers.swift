/// What no file tells of the kernel.
package struct KernelAnswers: Sendable {
  /// The error of `memfd_secret(2)` for this process; 0 if it gives memory.
  package var secretMemory: Int32
  package var hasLandlock: Bool
  /// Whether a caller's unit and executable are known: `SO_PEERPIDFD`, Linux 6.5.
  package var tellsProcesses: Bool
  /// `adjtimex(2)`; nil if this process may not ask.
  package var isClockSynchronised: Bool?

  package init(secretMemory: Int32, hasLandlock: Bool, tellsProcesses: Bool, isClockSynchronised: Bool?) {
    (self.secretMemory, self.hasLandlock, self.tellsProcesses) = (secretMemory, hasLandlock, tellsProcesses)
    self.isClockSynchronised = isClockSynchronised
  }
}
