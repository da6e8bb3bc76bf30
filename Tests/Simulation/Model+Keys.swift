/// Keys that are imported, activated, used until their end and retired. [KS-STATE-USE] [KS-PERIOD]
extension Model {
  struct ImportedKey {
    /// Nil where a change may have happened and may not, or the key may be missing.
    var state: State?
    /// The change that comes next; nil after the last.
    var next: Act.Step?
    /// By the machine's clock.
    let end: Int64?

    enum State { case waits, serves, isRetired }

    func hasEnded(_ clock: Int64) -> Bool { end.map { $0 < clock } ?? false }
  }

  mutating func importKey(isActive: Bool, lifetime: Int64?, _ outcome: Outcome, _ clock: Int64)
    throws(Surprise)
  {
    try answered(outcome)
    guard outcome != .down else { return }
    if isAnswered(outcome), !outcome.isOK { throw Surprise("a key is not imported: \(outcome)") }
    let state: ImportedKey.State? = outcome.isOK ? isActive ? .serves : .waits : nil
    imported.append(
      ImportedKey(
        state: state, next: isActive ? .retire : .activate, end: lifetime.map { clock + $0 }))
  }

  mutating func useImported(_ number: Int, _ outcome: Outcome, _ clock: Int64) throws(Surprise) {
    try answered(outcome)
    guard !imported.isEmpty, isAnswered(outcome) else { return }
    let key = imported[imported.place(around: number)]
    let hasEnded = key.hasEnded(clock)
    if outcome.isOK, hasEnded { throw Surprise("a key serves after its end") }
    guard let state = key.state else { return }
    if outcome.isOK, state != .serves { throw Surprise("a key that \(state) serves") }
    if !outcome.isOK, state == .serves, !hasEnded { throw Surprise("an active key is \(outcome)") }
  }

  mutating func advance(_ number: Int, _ outcome: Outcome, _ clock: Int64) throws(Surprise) {
    try answered(outcome)
    guard !imported.isEmpty, outcome != .nothing, outcome != .down else { return }
    let place = imported.place(around: number)
    guard let step = imported[place].next else { return }
    guard outcome.isOK else {
      let isPossible = imported[place].state != nil && !imported[place].hasEnded(clock)
      if isAnswered(outcome), isPossible, !isDiskFaulty {
        throw Surprise("\(step) of a key is \(outcome)")
      }
      if !isAnswered(outcome) { imported[place].state = nil }
      return
    }
    imported[place].state = step == .activate ? .serves : .isRetired
    imported[place].next = step.next
  }

  /// - Parameter isForGood: whether a key that was retired is so in any store that opens.
  mutating func doubtImported(unlessRetired isForGood: Bool) {
    for place in imported.indices where !isForGood || imported[place].state != .isRetired {
      imported[place].state = nil
    }
  }
}
