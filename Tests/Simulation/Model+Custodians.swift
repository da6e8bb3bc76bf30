/// Shares of the KEK, and ceremonies.
extension Model {
  /// How many shares open the store, and how many seconds there are for them. [OP-SHARE-1]
  /// [OP-SHARE-4]
  private static let threshold = 2, shareWindow: Int64 = 900

  mutating func submitShare(_ number: Int, _ outcome: Outcome, _ time: Int64) throws(Surprise) {
    guard isLocked else {
      if isAnswered(outcome), outcome != .said("share-surplus") {
        throw Surprise("the store is open, and a share is \(outcome)")
      }
      return
    }
    if time >= shares.since + Self.shareWindow { shares.of = [] }
    let isNew = !shares.of.contains(number)
    if outcome.isOK {
      if !isNew { throw Surprise("a share counts twice") }
      if shares.of.isEmpty { shares.since = time }
      shares.of.insert(number)
      if shares.of.count == Self.threshold { (isLocked, shares.of) = (false, []) }
    } else if isAnswered(outcome) {
      // [OP-SHARE-2]
      if isNew, outcome != .said("share-cool-down") {
        throw Surprise("a custodian's share is refused: \(outcome)")
      }
    } else if outcome != .down {
      if !isDiskFaulty, !isDiskFull, !hasLostRecords {
        throw Surprise("the shares are all there, and the store does not open: \(outcome)")
      }
      // They are wiped, whatever the result. [OP-SHARE-3]
      shares.of = []
    }
  }

  mutating func hold(_ ceremony: Act.Ceremony, _ outcome: Outcome) throws(Surprise) {
    // A store that no daemon has opened since it was restored stays as it is. [KS-RESTORE-MARK]
    if case .refused(let reason) = outcome, reason.contains("restoredUnopened") {
      guard isRestored else { throw Surprise("no ceremony can be held: \(reason)") }
      return
    }
    guard outcome != .nothing else { return }
    isUnrecorded = true
    switch ceremony {
    case .destroy:
      if outcome != .done, life != .destroyed, life != nil, !isDiskFaulty, !isDiskFull, !isTampered
      {
        throw Surprise(
          "a ceremony cannot destroy a key that is \(life.map { "\($0)" } ?? "there"): \(outcome)")
      }
      (life, resumed) =
        outcome == .done
        ? (.destroyed, .destroyed) : life == .destroyed ? (.destroyed, .destroyed) : (nil, nil)
    case .rotateKEK:
      if outcome != .done, !isDiskFaulty, !isDiskFull, !isTampered {
        throw Surprise("the KEK cannot be replaced: \(outcome)")
      }
    case .vouch: break
    }
  }
}
