internal import CLinux
internal import SecretMemory

/// Bounds how many connections work at once, so that nobody's many requests stand before another's one.
///
/// Each user has one place of its own; beyond that users share a few, and those who wait for them take turns.
package final class FairGate: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`. Nobody waits while a shared place is free.
  private var free: Int
  /// Connections that work, by user: the first has the user's own place, the others have shared ones.
  private var working: [UInt32: Int] = [:]
  /// The users who wait, in the order of their turns.
  private var turns: [UInt32] = []
  private var waiting: [UInt32: [Place]] = [:]

  /// - Parameter shared: places beyond each user's own.
  package init(shared: Int) { free = max(0, shared) }

  /// As many connections of one user as there are processors, and two at least: while one waits for the disk another works.
  package static func forThisMachine() -> FairGate { FairGate(shared: max(1, Int(kist_processors()) - 1)) }

  /// Waits for a place.
  package func enter(_ uid: UInt32) {
    let place: Place? = lock.withLock {
      let own = working[uid] == nil
      guard !own, free == 0 else {
        if !own { free -= 1 }
        working[uid, default: 0] += 1
        return nil
      }
      let place = Place()
      if waiting[uid] == nil { turns.append(uid) }
      waiting[uid, default: []].append(place)
      return place
    }
    place?.wait()
  }

  /// Gives the place to whoever's turn it is; a user's own place to the user alone.
  package func leave(_ uid: UInt32) {
    let next: Place? = lock.withLock {
      guard let count = working[uid] else { return nil }
      guard count > 1 else {
        guard waiting[uid] != nil else {
          working[uid] = nil
          return nil
        }
        turns.removeAll { $0 == uid }
        return takePlace(for: uid)
      }
      working[uid] = count - 1
      guard !turns.isEmpty else {
        free += 1
        return nil
      }
      let next = turns.removeFirst()
      working[next, default: 0] += 1
      return takePlace(for: next)
    }
    next?.give()
  }

  /// Whether another user waits for a place.
  package func isWanted(besides uid: UInt32) -> Bool { lock.withLock { turns.contains { $0 != uid } } }

  /// Connections that wait.
  package var waitingCount: Int { lock.withLock { waiting.values.reduce(0) { $0 + $1.count } } }

  /// Takes the longest waiting of a user's connections out of the queue; the rest wait for the user's next turn.
  private func takePlace(for uid: UInt32) -> Place? {
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
