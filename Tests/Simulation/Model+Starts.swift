/// What must open again, and what may stay shut.
extension Model {
  mutating func lock() {
    isLocked = true
    request = nil
    shares.of = []
    dropHandles()
  }

  mutating func unlock(_ outcome: Outcome) throws(Surprise) {
    switch outcome {
    case .done: (isLocked, shares.of) = (false, [])
    case .refused(let reason):
      if !isDiskFaulty, !isDiskFull, !hasLostRecords {
        throw Surprise("the store is as it was locked, and does not open: \(reason)")
      }
    case .said, .nothing, .down, .each: break
    }
  }

  /// Without the log a new host refuses what is older than its first start, and for that it has
  /// only its clock. [KS-RESTORE-STATE]
  private mutating func forgetOpenings() {
    for place in tokens.indices where tokens[place].state == .opened {
      tokens[place].state = .unsure
    }
    payments = payments.mapValues { $0 == .opened ? .unsure : $0 }
  }

  mutating func start(_ outcome: Outcome, _ time: Int64, _ clock: Int64) throws(Surprise) {
    switch outcome {
    case .done:
      if isOnNewHost, clock < latest { forgetOpenings() }
      isTampered = false
      isRestored = false
      isUnrecorded = false
      isOnNewHost = false
      // They are in the manifest now. [KS-USES]
      if !isDiskFaulty, !isDiskFull { areCountersGone = false }
    case .refused(let reason):
      if !isTampered, !isDiskFaulty, !isDiskFull, !hasLostRecords {
        throw Surprise("the store and its log are as they were left, and do not open: \(reason)")
      }
      // Whatever people did to it since, its files are still known to be the backup's.
      // [KS-RESTORE-MARK]
      if isRestored, reason.contains("restoredMark") {
        throw Surprise("a restored store cannot be opened: \(reason)")
      }
      // The world puts the files back, and takes the fault away; what a ceremony changed since may
      // be gone.
      if isUnrecorded { life = nil }
      isTampered = false
      isRestored = false
      isDiskFaulty = false
      isDiskFull = false
    case .said, .nothing, .down, .each: break
    }
  }
}
