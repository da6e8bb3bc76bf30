import CLinux
import Host

/// A fair scheduler between users: limits how many connections work at once, so that one user's
/// flood does not delay another's request.
///
/// Each user has one place of its own and competes for a few shared ones; waiting users get the
/// shared places in turn (round-robin). A user who is alone is not limited.
final class FairGate: @unchecked Sendable {
  private let clock: @Sendable () -> Int64
  private let lock = Lock()
  // Guarded by `lock`.
  /// Shared places that are free; negative if a user who was alone has taken more than there are.
  private var free: Int
  /// Connections that work, by user: the first uses the user's own place, the others use shared
  /// ones.
  private var working: [UInt32: Int] = [:]
  /// The users that wait, in the order of their turns; each of them already uses its own place.
  private var turns: [UInt32] = []
  private var waiting: [UInt32: [Signal]] = [:]
  private var lately = LatelySeen()

  /// - Parameters:
  ///   - shared: places besides each user's own.
  ///   - clock: nanoseconds that never go back.
  init(
    shared: Int, clock: @escaping @Sendable () -> Int64 = { kist_monotonic_nanoseconds() }
  ) {
    free = max(0, shared)
    self.clock = clock
  }

  /// Two places fewer than processors are shared: a flooding user then has its own place and the
  /// shared ones, and one processor stays free.
  static func forThisMachine() -> FairGate { FairGate(shared: Int(kist_processors()) - 2) }

  /// Takes a place, or waits for one.
  func enter(_ uid: UInt32) {
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

  /// Gives a shared place to the user whose turn it is; a user's own place goes only to that user's
  /// next connection.
  func leave(_ uid: UInt32) {
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

  /// Whether another user came within the last 250 ms.
  func hasCompany(_ uid: UInt32, at now: Int64) -> Bool {
    lock.withLock { lately.others(than: uid, at: now) }
  }

  /// Whether another user waits for a place.
  func isWanted(besides uid: UInt32) -> Bool {
    lock.withLock { turns.contains { $0 != uid } }
  }

  /// The number of connections that wait.
  var waitingCount: Int { lock.withLock { waiting.values.reduce(0) { $0 + $1.count } } }

  /// Whether `uid` may have a place besides its own.
  private func hasRoom(for uid: UInt32, at now: Int64) -> Bool {
    free > 0 || !lately.others(than: uid, at: now)
  }

  /// Takes the connection of this user that has waited longest; if others wait, the user goes to
  /// the end of the turns.
  private func takePlace(for uid: UInt32, into given: inout [Signal]) {
    guard var queue = waiting.removeValue(forKey: uid), !queue.isEmpty else { return }
    given.append(queue.removeFirst())
    guard !queue.isEmpty else { return }
    waiting[uid] = queue
    turns.append(uid)
  }

  /// The last two distinct users to come: enough to tell for any user whether another one came.
  private struct LatelySeen {
    private var latest: (uid: UInt32, at: Int64)?
    private var before: (uid: UInt32, at: Int64)?

    /// How long after another user's last request places are still shared in turn, in nanoseconds.
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
