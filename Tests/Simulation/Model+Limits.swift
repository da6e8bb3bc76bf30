/// Uses, quotas and codes, of which there are only so many.
extension Model {
  mutating func use(_ outcome: Outcome) throws(Surprise) {
    try answered(outcome)
    guard isAnswered(outcome) else {
      if outcome != .down { uses.perhaps += 1 }
      return
    }
    if outcome.isOK {
      uses.certain += 1
      if uses.certain > Self.useLimit, !uses.isOpen {
        throw Surprise("use \(uses.certain) of a key with \(Self.useLimit)")
      }
    } else if uses.certain + uses.perhaps < Self.useLimit {
      throw Surprise("use \(uses.certain + 1) of \(Self.useLimit) is refused: \(outcome)")
    }
  }

  mutating func draw(_ outcome: Outcome, _ clock: Int64) throws(Surprise) {
    try answered(outcome)
    let day = Self.day(clock)
    guard isAnswered(outcome) else {
      if outcome != .down, !isGivenBack(outcome) { draws[day, default: Count()].perhaps += 1 }
      return
    }
    if !isDrawGranted {
      guard outcome == .said("denied") else {
        throw Surprise("a draw that is not granted is \(outcome)")
      }
      return
    }
    guard outcome.isOK || outcome == .said("busy") else { throw Surprise("a draw is \(outcome)") }
    if outcome.isOK { draws[day, default: Count()].certain += 1 }
    let count = draws[day] ?? Count()
    guard !lostDays.contains(day) else { return }
    // Wherever the clock was set between, a day has no more than its quota.
    if outcome.isOK, count.certain > Self.dailyQuota {
      throw Surprise("draw \(count.certain) of a day with \(Self.dailyQuota)")
    }
    guard !unclearDays.contains(day) else { return }
    if !outcome.isOK, count.certain + count.perhaps < Self.dailyQuota {
      throw Surprise("draw \(count.certain + 1) of \(Self.dailyQuota) is refused")
    }
  }

  mutating func makeCode(_ outcome: Outcome) throws(Surprise) {
    try answered(outcome)
    madeSince += 1
    guard isAnswered(outcome) else { return }
    if outcome.isOK {
      codes.append(.opened)
      madeSince = 0
      wrongSince = 0
    } else if !areCodesInDoubt, madeSince <= 2, wrongSince < 5, !isDiskFaulty {
      throw Surprise("a new code is \(outcome)")
    }
  }

  mutating func newCode(_ outcome: Outcome) throws(Surprise) {
    try answered(outcome)
    madeSince += 1
    if outcome.isOK { codes.append(.untried) }
  }

  mutating func tryCode(_ number: Int, _ outcome: Outcome) throws(Surprise) {
    try answered(outcome)
    let state = codes[number]
    if outcome.isOK {
      // THREATS.md has it as open: an older ledger, and the records that would tell are gone.
      let isOpen = areCodesInDoubt && (hasLostRecords || hasPruned)
      if state == .opened, !isOpen { throw Surprise("a code is right twice") }
      codes[number] = .opened
      madeSince = 0
      wrongSince = 0
      return
    }
    guard outcome != .nothing, outcome != .down else { return }
    let isNew = state == .untried && number == codes.count - 1 && madeSince <= 2
    if isAnswered(outcome), isNew, wrongSince < 5, !areCodesInDoubt, !isDiskFaulty {
      throw Surprise("a new code is \(outcome)")
    }
    if state == .untried, !isAnswered(outcome) { codes[number] = .unsure }
    wrongSince += 1
  }
}
