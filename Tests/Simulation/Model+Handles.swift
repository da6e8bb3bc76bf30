/// Secrets behind handles. [OP-HANDLE-1] [OP-HANDLE-2] [OP-HANDLE-3]
extension Model {
  /// Seconds that a handle lasts, and how many a connection may hold.
  private static let handleLifetime: Int64 = 60, handleCount = 16

  struct Handle {
    let kind: Kind
    /// True time.
    let made: Int64
    /// Nil where nobody can say, since the log failed meanwhile.
    var isThere: Bool?

    enum Kind { case shared, derived }
  }

  mutating func agree(_ outcome: Outcome, _ time: Int64) throws(Surprise) {
    try answered(outcome)
    guard isAnswered(outcome) else { return doubtHandles() }
    if outcome.isOK { return add(.shared, time) }
    let held = handles.count { isThere($0, time) != false }
    guard outcome == .said("busy"), held >= Self.handleCount else {
      throw Surprise("with \(held) handles, another is \(outcome)")
    }
  }

  mutating func derive(_ number: Int, _ outcome: Outcome, _ time: Int64) throws(Surprise) {
    guard try takes(.shared, number, outcome, time) else { return }
    handles[handles.place(around: number)].isThere = false
    add(.derived, time)
  }

  mutating func useHandle(_ number: Int, isOwn: Bool, _ outcome: Outcome, _ time: Int64)
    throws(Surprise)
  {
    let isTaken = try takes(.derived, number, outcome, time, isOwn: isOwn)
    if isTaken, !isOwn { throw Surprise("another connection's handle serves") }
  }

  mutating func releaseHandle(_ number: Int, _ outcome: Outcome, _ time: Int64) throws(Surprise) {
    guard try takes(nil, number, outcome, time) else { return }
    handles[handles.place(around: number)].isThere = false
  }

  mutating func dropHandles() { for place in handles.indices { handles[place].isThere = false } }

  mutating func doubtHandles() {
    for place in handles.indices where handles[place].isThere == true {
      handles[place].isThere = nil
    }
  }

  /// Whether the handle served.
  ///
  /// - Parameter kind: what it has to be; nil if either serves.
  private mutating func takes(
    _ kind: Handle.Kind?, _ number: Int, _ outcome: Outcome, _ time: Int64, isOwn: Bool = true
  ) throws(Surprise) -> Bool {
    try answered(outcome)
    guard !handles.isEmpty, isAnswered(outcome) else {
      doubtHandles()
      return false
    }
    let handle = handles[handles.place(around: number)]
    let serves = isOwn && handle.kind == kind ?? handle.kind ? isThere(handle, time) : false
    if outcome.isOK, serves == false {
      throw Surprise("a handle that is spent, over, of another kind or another's serves")
    }
    if !outcome.isOK, serves == true || outcome != .said("denied") {
      throw Surprise("a handle to a \(handle.kind) secret is \(outcome)")
    }
    return outcome.isOK
  }

  private func isThere(_ handle: Handle, _ time: Int64) -> Bool? {
    time - handle.made < Self.handleLifetime ? handle.isThere : false
  }

  private mutating func add(_ kind: Handle.Kind, _ time: Int64) {
    handles.append(Handle(kind: kind, made: time, isThere: isDiskFaulty || isDiskFull ? nil : true))
  }
}
