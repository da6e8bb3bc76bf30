internal import CLinux
internal import SecretMemory

/// Lets a few connections work at once, and of those that wait, each user in turn: nobody's many requests stand before
/// another's one.
package final class FairGate: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`. Nobody waits while a place is free.
  private var free: Int
  /// The users who wait, in the order of their turns.
  private var turns: [UInt32] = []
  private var waiting: [UInt32: [Place]] = [:]

  /// - Parameter places: connections that work at once.
  package init(places: Int) { free = max(1, places) }

  /// One place per processor, and two at least: while one waits for the disk another works.
  package static func forThisMachine() -> FairGate { FairGate(places: max(2, Int(kist_processors()))) }

  /// Waits for a place.
  package func enter(_ uid: UInt32) {
    let place: Place? = lock.withLock {
      guard free == 0 else {
        free -= 1
        return nil
      }
      let place = Place()
      if waiting[uid] == nil { turns.append(uid) }
      waiting[uid, default: []].append(place)
      return place
    }
    place?.wait()
  }

  /// Gives the place to whoever's turn it is.
  package func leave() {
    let next: Place? = lock.withLock {
      guard !turns.isEmpty else {
        free += 1
        return nil
      }
      return takeTurn()
    }
    next?.give()
  }

  /// Whether another user waits for a place.
  package func isWanted(besides uid: UInt32) -> Bool { lock.withLock { turns.contains { $0 != uid } } }

  /// Connections that wait.
  package var waitingCount: Int { lock.withLock { waiting.values.reduce(0) { $0 + $1.count } } }

  private func takeTurn() -> Place? {
    let uid = turns.removeFirst()
    guard var queue = waiting.removeValue(forKey: uid), !queue.isEmpty else { return nil }
    let place = queue.removeFirst()
    if !queue.isEmpty {
      waiting[uid] = queue
      turns.append(uid)
    }
    return place
  }

  /// What one connection waits for.
  private final class Place: @unchecked Sendable {
    private let monitor = Monitor()
    /// Guarded by `monitor`.
    private var isGiven = false

    func wait() { monitor.withLock { while !isGiven { monitor.wait() } } }

    func give() {
      monitor.withLock {
        isGiven = true
        monitor.wakeAll()
      }
    }
  }
}
