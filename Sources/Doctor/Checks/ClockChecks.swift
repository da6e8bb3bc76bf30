/// Whether something keeps the clock right, by which tokens are fresh or stale.
let clockChecks: [CheckUp.Check] = [checkClock]

@Sendable private func checkClock(_ host: Host) -> [Finding] {
  guard !host.surroundings.kernel.isClockSynchronised else { return [] }
  return [
    Finding(
      .clockUnsynchronised, "", "Nothing keeps the clock right, and a clock that is minutes wrong refuses every token.",
      cure: "Install and start chrony or systemd-timesyncd, and look at timedatectl.")
  ]
}
