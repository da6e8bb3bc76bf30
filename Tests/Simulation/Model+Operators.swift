/// What operators do: states of a key, approvals, policies.
extension Model {
  func work(_ outcome: Outcome) throws(Surprise) {
    try answered(outcome)
    guard isAnswered(outcome), let life else { return }
    switch life {
    case .active where !outcome.isOK && !isDiskFaulty: throw Surprise("an active key is \(outcome)")
    case .suspended, .retired, .compromised, .destroyed:
      if outcome.isOK, !isDiskFaulty { throw Surprise("a key that is \(life) serves") }
    case .active: break
    }
  }

  mutating func enter(_ change: Act.Change, _ outcome: Outcome, _ time: Int64) throws(Surprise) {
    try answered(outcome)
    if change == .destroy { try destroy(outcome, time) }
    if outcome != .down, !isLocked, !isAnswered(outcome) { (life, resumed) = (nil, nil) }
    guard outcome.isOK else { return }
    life =
      switch change {
      case .suspend: .suspended
      case .resume: resumed
      case .retire: .retired
      case .compromise: .compromised
      case .destroy: .destroyed
      }
    if change == .retire { resumed = .retired }
    if change == .suspend { wasSuspended = true }
  }

  func waits(_ time: Int64) -> Bool { request.map { time < $0.made + Self.approvalTime } ?? false }

  mutating func destroy(_ outcome: Outcome, _ time: Int64) throws(Surprise) {
    let isApproved = waits(time) && request?.isApproved == true
    if outcome.isOK, !isApproved {
      throw Surprise("a key is destroyed that nobody else let be destroyed")
    }
    guard outcome == .said("approval-needed") else {
      // An approval is used up by the request that it lets through, whatever becomes of that; one
      // that is refused before waits on.
      if isApproved, outcome != .down, outcome != .said("key-state") { request = nil }
      return
    }
    if isApproved { throw Surprise("a request that was approved is to be approved again") }
    if !waits(time) { request = (time, false) }
  }

  mutating func approve(_ own: Bool, _ outcome: Outcome, _ time: Int64) throws(Surprise) {
    try answered(outcome)
    guard isAnswered(outcome) else { return }
    if outcome.isOK, own { throw Surprise("somebody approves an own request") }
    if outcome.isOK, !waits(time) { throw Surprise("a request that no longer waits is approved") }
    if !outcome.isOK, !own, waits(time) {
      throw Surprise("a request that waits is not approved: \(outcome)")
    }
    if outcome.isOK { request?.isApproved = true }
  }

  mutating func swap(_ grants: Bool, _ outcome: Outcome, _ clock: Int64) throws(Surprise) {
    if outcome == .done {
      // One that cannot read its log takes the policy all the same, and finds at the next unlocking
      // that records are gone.
      if grants, !isDrawGranted, hasPruned, isLocked || isDiskFaulty || isDiskFull {
        unclearDays.insert(Self.day(clock))
      }
      isDrawGranted = grants
    }
    guard case .refused(let reason) = outcome, !isDiskFaulty, !isDiskFull else { return }
    // A quota without the records of its period would refuse everything: such a policy is not
    // taken.
    if grants, reason.hasPrefix("quotaUnknown"), hasPruned || hasLostRecords { return }
    throw Surprise("nothing is wrong with the disk, and the policy stays: \(reason)")
  }
}
