package import Format

/// What became of a key after the manifest was written, by the audit log's account.
package struct LoggedLife: Sendable {
  /// The states that it entered, in order; the first is that of its creation or import.
  private(set) var states: [(state: KeyState, time: Timestamp)] = []
  private(set) var suspension = Suspension.none

  /// The last that the log says about a suspension of the key.
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
  /// Whether every key exists here and is at least as far in its life as the log says; if not, the
  /// store is older than the log. [KS-OLDER]
  package func hasReached(_ lives: [KeyID: LoggedLife]) -> Bool {
    lives.allSatisfy { id, life in
      guard let record = record(for: id) else { return wasDestroyed(id) }
      return !record.lifeState.isBefore(life.last) && record.agrees(with: life.suspension)
    }
  }

  /// Brings a store that came from a copy up to the log: keys that were since suspended, retired,
  /// compromised or destroyed are so again, and the uses counted since are added to what the copy
  /// had reserved [KS-COUNTER]. No key is activated or resumed by this. [KS-RESTORE-STATE]
  ///
  /// Called before the first request, with the uses restored; can be repeated after a crash.
  /// - Parameter anchor: the head of the log that was read.
  package func catchUp(with lives: [KeyID: LoggedLife], anchor: AuditAnchor) throws(KeyStoreError) {
    let moved = outrun(by: lives)
    try change(anchor) { (manifest, slots) throws(KeyStoreError) in
      manifest.restored = nil
      for slot in slots.values {
        var record = counted(slot, upTo: anchor)
        if let life = moved[record.id] { record.follow(life) }
        manifest.replace(record)
        slots[record.id] = record.state == .destroyed ? nil : slot.with(record)
      }
    }
    for (id, life) in moved where life.last == .destroyed { try removeFiles(of: id) }
  }

  /// How many keys in the log are missing here, and how many have a state that `catchUp` advances.
  package func lag(behind lives: [KeyID: LoggedLife]) -> (missing: UInt64, moved: UInt64) {
    (
      UInt64(lives.keys.count { record(for: $0) == nil && !wasDestroyed($0) }),
      UInt64(outrun(by: lives).count)
    )
  }

  private func outrun(by lives: [KeyID: LoggedLife]) -> [KeyID: LoggedLife] {
    let slots = table.value.slots
    return lives.filter { id, life in
      slots[id].map { $0.record.isBehind(life) || $0.record.mustStop(life.suspension) } ?? false
    }
  }
}

extension KeyRecord {
  /// Whether the log has the key retired, compromised or destroyed, and the store does not.
  fileprivate func isBehind(_ life: LoggedLife) -> Bool {
    lifeState.isBefore(life.last) && KeyState.active.isBefore(life.last)
  }

  /// Whether the log has the key suspended, and the store does not.
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
      for (state, time) in life.states where lifeState.isBefore(state) {
        enter(state, at: time, nil)
      }
    }
    if case .since(let time) = life.suspension, mustStop(life.suspension) {
      enter(.suspended, at: time, nil)
    }
  }
}

extension KeyState {
  /// Compares positions in the order of a key's life.
  fileprivate func isBefore(_ other: KeyState) -> Bool { rank < other.rank }

  private var rank: Int {
    switch self {
    case .preActive: 0
    // Suspension is no step in a key's life: the state before it decides.
    case .active, .suspended: 1
    case .retired: 2
    case .compromised: 3
    case .destroyed: 4
    }
  }
}
