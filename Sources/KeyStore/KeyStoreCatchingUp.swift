package import Encoding
package import Wire

/// What the audit log says a key came to after the manifest was written.
package struct LoggedLife: Sendable {
  /// Every state in its order, the first of them that it was made or taken in.
  private(set) var states: [(state: KeyState, time: Timestamp)] = []
  private(set) var suspension = Suspension.none

  /// The last that the log says of the key's suspension.
  enum Suspension: Equatable { case none, since(Timestamp), lifted }

  package init() {}

  package mutating func enter(_ state: KeyState, at time: Timestamp) {
    if state == .suspended {
      suspension = .since(time)
    } else {
      states.append((state, time))
    }
  }

  package mutating func resume() { suspension = .lifted }

  fileprivate var last: KeyState { states.last?.state ?? .preActive }
}

extension KeyStore {
  /// Whether every key is here and has come as far as the log says; where not, the store is older than the log. [KS-OLDER]
  package func hasReached(_ lives: [KeyID: LoggedLife]) -> Bool {
    lives.allSatisfy { id, life in record(for: id).map { !$0.lifeState.isBefore(life.last) && $0.agrees(with: life.suspension) } ?? false }
  }

  /// Lets a store that came from a copy be no less than the log says: what was suspended, retired, compromised or destroyed since is so
  /// again, and counted uses are added to what the copy had reserved [KS-COUNTER]. A key is never activated or resumed so. [KS-RESTORE-STATE]
  ///
  /// Called before the first request, with the uses restored; can be repeated after a crash.
  /// - Parameter anchor: of the log that was read.
  /// - Returns: how many keys the log knows that are not here, and how many were moved on.
  package func catchUp(with lives: [KeyID: LoggedLife], anchor: AuditAnchor) throws(KeyStoreError) -> (missing: Int, moved: Int) {
    let before = table.value
    let moved = lives.filter { id, life in
      guard let record = before.slots[id]?.record else { return false }
      return record.isBehind(life) || record.mustStop(life.suspension)
    }
    try change(anchor) { (manifest, slots) throws(KeyStoreError) in
      for slot in slots.values {
        var record = slot.counted(upTo: anchor, reserved: counters.reserved(of: slot.record.id))
        if let life = moved[record.id] { record.follow(life) }
        manifest.replace(record)
        slots[record.id] = record.state == .destroyed ? nil : slot.with(record)
      }
    }
    for (id, life) in moved where life.last == .destroyed { try removeFiles(of: id) }
    return (lives.keys.count { record(for: $0) == nil }, moved.count)
  }
}

extension KeyRecord {
  /// Whether the log has it end further than it has come here.
  fileprivate func isBehind(_ life: LoggedLife) -> Bool { lifeState.isBefore(life.last) && KeyState.active.isBefore(life.last) }

  /// Whether the log has it suspended, and it is not.
  fileprivate func mustStop(_ suspension: LoggedLife.Suspension) -> Bool {
    guard case .since = suspension else { return false }
    return state.mayBecome(.suspended)
  }

  fileprivate func agrees(with suspension: LoggedLife.Suspension) -> Bool {
    switch suspension {
    case .none: true
    case .since: !mustStop(suspension)
    case .lifted: state != .suspended
    }
  }

  fileprivate mutating func follow(_ life: LoggedLife) {
    if isBehind(life) {
      for (state, time) in life.states where lifeState.isBefore(state) { enter(state, at: time, nil) }
    }
    if case .since(let time) = life.suspension, mustStop(life.suspension) { enter(.suspended, at: time, nil) }
  }
}

extension KeyState {
  /// In the order of a key's life.
  fileprivate func isBefore(_ other: KeyState) -> Bool { rank < other.rank }

  private var rank: Int {
    switch self {
    case .preActive: 0
    // No state of a key's life: what it was before decides.
    case .active, .suspended: 1
    case .retired: 2
    case .compromised: 3
    case .destroyed: 4
    }
  }
}
