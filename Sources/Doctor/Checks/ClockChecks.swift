/// Whether something keeps the clock right, by which tokens are fresh or stale.
let clockChecks: [CheckUp.Check] = [checkClock]

@Sendable private func checkClock(_ host: Host) -> [Finding] {
  guard let isSynchronised = host.surroundings.kernel.isClockSynchronised else {
    return [
      Finding(.notExamined, "", "The kernel does not say whether the clock is right.", cure: "Let kist doctor call adjtimex(2): a seccomp filter forbids it.")
    ]
  }
  guard !isSynchronised else { return [] }
  return [
    Finding(
      .clockUnsynchronised, "", "Nothing keeps the clock right, and a clock that is minutes wrong refuses every token.",
      cure: "Install and start chrony or systemd-timesyncd, and look at timedatectl.")
  ]
}
