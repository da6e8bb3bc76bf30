internal import CLinux
internal import SecretMemory

/// Bounds how many connections work at once while several users come, so that nobody's many requests stand before another's one.
///
/// Each user has one place of its own; beyond that users share a few, and those who wait for them take turns. A user who is
/// alone waits for nobody.
package final class FairGate: @unchecked Sendable {
  private let clock: @Sendable () -> Int64
  private let lock = Lock()
  // Guarded by `lock`.
  /// Less than none where a user who was alone works in more places than there are.
  private var free: Int
  /// Connections that work, by user: the first has the user's own place, the others have shared ones.
  private var working: [UInt32: Int] = [:]
  /// The users who wait, in the order of their turns; each has its own place at work.
  private var turns: [UInt32] = []
  private var waiting: [UInt32: [Signal]] = [:]
  private var lately = LatelySeen()

  /// - Parameters:
  ///   - shared: places beyond each user's own.
  ///   - clock: nanoseconds that never go back.
  package init(shared: Int, clock: @escaping @Sendable () -> Int64 = { kist_monotonic_nanoseconds() }) {
    (free, self.clock) = (max(0, shared), clock)
  }

  /// Users share all processors but two: on one a user's own place is, and on the other who asks seldom finds nobody's flood.
  package static func forThisMachine() -> FairGate { FairGate(shared: Int(kist_processors()) - 2) }

  /// Waits for a place.
  package func enter(_ uid: UInt32) {
    let now = clock()
    let place: Signal? = lock.withLock {
      lately.note(uid, at: now)
      let own = working[uid] == nil
      guard !own, !hasRoom(for: uid, at: now) else {
        if !own { free -= 1 }
        working[uid, default: 0] += 1
        return nil
      }
      let place = Signal()
      if waiting[uid] == nil { turns.append(uid) }
      waiting[uid, default: []].append(place)
      return place
    }
    place?.wait()
  }

  /// Gives a shared place to whoever's turn it is; a user's own place to the user alone.
  package func leave(_ uid: UInt32) {
    let now = clock()
    let given: [Signal] = lock.withLock {
      guard let count = working[uid] else { return [] }
      var given: [Signal] = []
      if count > 1 {
        working[uid] = count - 1
        free += 1
      } else if waiting[uid] != nil {
        turns.removeAll { $0 == uid }
        takePlace(for: uid, into: &given)
      } else {
        working[uid] = nil
      }
      while let next = turns.first, hasRoom(for: next, at: now) {
        turns.removeFirst()
        free -= 1
        working[next, default: 0] += 1
        takePlace(for: next, into: &given)
      }
      return given
    }
    for place in given { place.give() }
  }

  /// Whether another user came lately.
  package func hasCompany(_ uid: UInt32) -> Bool {
    let now = clock()
    return lock.withLock { lately.others(than: uid, at: now) }
  }

  /// Whether another user waits for a place.
  package func isWanted(besides uid: UInt32) -> Bool { lock.withLock { turns.contains { $0 != uid } } }

  /// Connections that wait.
  package var waitingCount: Int { lock.withLock { waiting.values.reduce(0) { $0 + $1.count } } }

  /// Whether a place can be had beyond the user's own.
  private func hasRoom(for uid: UInt32, at now: Int64) -> Bool { free > 0 || !lately.others(than: uid, at: now) }

  /// Takes the longest waiting of a user's connections out of the queue; the rest wait for the user's next turn.
  private func takePlace(for uid: UInt32, into given: inout [Signal]) {
    guard var queue = waiting.removeValue(forKey: uid), !queue.isEmpty else { return }
    given.append(queue.removeFirst())
    guard !queue.isEmpty else { return }
    waiting[uid] = queue
    turns.append(uid)
  }

  /// The two users who came last, which is enough to know of any user whether others came.
  private struct LatelySeen {
    private var latest: (uid: UInt32, at: Int64)?
    private var before: (uid: UInt32, at: Int64)?

    /// How long after somebody's last request others take turns, in nanoseconds.
    private static let patience: Int64 = 250_000_000

    mutating func note(_ uid: UInt32, at now: Int64) {
      if latest?.uid != uid { before = latest }
      latest = (uid, now)
    }

    func others(than uid: UInt32, at now: Int64) -> Bool {
      guard let other = latest?.uid == uid ? before : latest else { return false }
      return now - other.at < Self.patience
    }
  }
}
