/// What must open again, and what may stay shut.
extension Model {
  mutating func lock() { (isLocked, request, shares.of) = (true, nil, []) }

  mutating func unlock(_ outcome: Outcome) throws(Surprise) {
    switch outcome {
    case .done: (isLocked, shares.of) = (false, [])
    case .refused(let reason):
      if !isDiskFaulty, !isDiskFull, !hasLostRecords { throw Surprise("the store is as it was locked, and does not open: \(reason)") }
    case .said, .nothing, .down, .each: break
    }
  }

  mutating func start(_ outcome: Outcome, _ time: Int64) throws(Surprise) {
    switch outcome {
    case .done: (isTampered, isUnrecorded) = (false, false)
    case .refused(let reason):
      if !isTampered, !isDiskFaulty, !isDiskFull, !hasLostRecords { throw Surprise("the store and its log are as they were left, and do not open: \(reason)") }
      // The world puts the files back, and takes the fault away; what a ceremony changed since may be gone.
      if isUnrecorded { life = nil }
      (isTampered, isDiskFaulty, isDiskFull) = (false, false, false)
    case .said, .nothing, .down, .each: break
    }
  }
}
