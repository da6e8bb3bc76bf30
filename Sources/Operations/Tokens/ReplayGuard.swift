package import Audit
package import Format
import Host

/// Remembers which transactions were opened, for as long as their tokens could still be fresh
/// [OP-OPEN-6], or which envelopes that open once, for as long as they could still be valid
/// [OP-ENV-5].
///
/// It keeps two generations, each twice the window long. Entries that it drops are stale; what was
/// signed as early is refused from then on, even if the clock goes back. It is refilled from the
/// audit log at start.
package final class ReplayGuard: @unchecked Sendable {
  package enum Verdict: Equatable, Sendable {
    /// The caller may open the transaction; another attempt with the same digest is refused.
    case reserved
    case replayed
    /// It was signed before the time that the guard remembers: the clock went back, or the log does
    /// not reach so far.
    case forgotten
    /// The guard has no room left.
    case full
  }

  private let lock = Lock()
  /// How far after the present a signing time may be, in seconds.
  private let lead: UInt32
  private let capacity: Int
  // Guarded by `lock`; signing times in seconds.
  private var longest: UInt32
  private var current: [KeyedDigest: Int64] = [:]
  private var previous: [KeyedDigest: Int64] = [:]
  /// Those whose records are not durable yet.
  private var pending: Set<KeyedDigest> = []
  private var turned: Int64
  private var floor: Int64
  /// What the floor is from this time on; nil for what it is now.
  private var awaited: Int64?

  /// - Parameters:
  ///   - window: for how long after its signing anything is fresh or valid, at most; in seconds.
  ///   - lead: how far after the present a signing time may be, in seconds.
  ///   - capacity: how many transactions are remembered in each generation.
  ///   - complete: the time from which on every opening has been or will be entered.
  package init(window: UInt32, lead: UInt32, capacity: Int, complete: Timestamp) {
    longest = window
    self.lead = lead
    self.capacity = capacity
    turned = complete.seconds
    floor = Self.floor(lead, complete)
  }

  /// The window that it protects, in seconds.
  package var window: UInt32 { lock.withLock { longest } }

  /// How many transactions its present generation has, of at most `capacity`.
  package var count: Int { lock.withLock { current.count } }

  /// Keeps what comes from now on for at least this long; what was dropped before stays refused.
  package func widen(to window: UInt32) { lock.withLock { longest = max(longest, window) } }

  /// Reserves a transaction for opening.
  package func reserve(
    _ transaction: KeyedDigest, signedAt: Timestamp, now: Timestamp,
    into reservations: inout Reservations
  ) -> Verdict {
    let verdict: Verdict = lock.withLock {
      turn(now.seconds)
      guard current[transaction] == nil, previous[transaction] == nil else { return .replayed }
      guard signedAt.seconds >= floor else { return .forgotten }
      guard current.count < capacity else { return .full }
      current[transaction] = signedAt.seconds
      pending.insert(transaction)
      return .reserved
    }
    if verdict == .reserved { reservations.add(.opening(transaction, self)) }
    return verdict
  }

  /// Whether the transaction was opened, or is being opened.
  package func knows(_ transaction: KeyedDigest) -> Bool {
    lock.withLock { current[transaction] != nil || previous[transaction] != nil }
  }

  /// Whether what was signed then may have been opened without this guard's knowing.
  package func isForgotten(signedAt: Timestamp) -> Bool {
    lock.withLock { signedAt.seconds < floor }
  }

  /// The opening's record is durable.
  func keep(_ transaction: KeyedDigest) { lock.withLock { _ = pending.remove(transaction) } }

  /// Forgets a transaction that was not opened.
  func giveBack(_ transaction: KeyedDigest) {
    lock.withLock {
      pending.remove(transaction)
      _ = current.removeValue(forKey: transaction) ?? previous.removeValue(forKey: transaction)
    }
  }

  /// Enters an opening found in the audit log.
  ///
  /// The log does not hold the signing time, which was at most the lead after the opening.
  /// - Parameter openedAt: later than `now` if the clock was set back since.
  package func restore(_ transaction: KeyedDigest, openedAt: Timestamp, now: Timestamp) {
    lock.withLock {
      turn(min(openedAt, now).seconds)
      current[transaction] = openedAt.seconds + Int64(lead)
    }
  }

  /// Not all openings before `complete` are known: refuses tokens that may be among them.
  package func distrust(before complete: Timestamp) {
    lock.withLock { floor = max(floor, Self.floor(lead, complete)) }
  }

  /// As above, once the clock, which was set back since, is at `complete` again: until then it
  /// would refuse everything.
  package func distrustLater(before complete: Timestamp) {
    lock.withLock { awaited = max(awaited ?? .min, complete.seconds) }
  }

  /// Enters what an earlier guard knew to be opened.
  package func add(_ contents: Contents) {
    lock.withLock {
      previous = contents.openings.reduce(into: previous) { $0.merge($1) { max($0, $1) } }
    }
  }

  /// A snapshot: all durable openings signed at `floor` or later, with their signing time or a
  /// later one, in seconds.
  package struct Contents: Equatable, Sendable {
    package let floor: Int64
    /// From both generations.
    package let openings: [[KeyedDigest: Int64]]

    package init(floor: Int64, openings: [[KeyedDigest: Int64]]) {
      self.floor = floor
      self.openings = openings
    }

    package var count: Int { openings.reduce(0) { $0 + $1.count } }
  }

  package var contents: Contents {
    let (all, unsettled) = lock.withLock {
      (
        Contents(
          floor: max(floor, awaited.map { $0 + Int64(lead) } ?? .min),
          openings: [current, previous]), pending
      )
    }
    guard !unsettled.isEmpty else { return all }
    return Contents(
      floor: all.floor, openings: all.openings.map { $0.filter { !unsettled.contains($0.key) } })
  }

  /// Continues from another guard's snapshot.
  package init(window: UInt32, lead: UInt32, capacity: Int, _ contents: Contents, now: Timestamp) {
    longest = window
    self.lead = lead
    self.capacity = capacity
    turned = now.seconds
    floor = contents.floor
    add(contents)
  }

  /// What was opened before `complete` was signed at most the lead after it.
  private static func floor(_ lead: UInt32, _ complete: Timestamp) -> Int64 {
    complete.seconds + Int64(lead)
  }

  /// Starts a new generation when it is time; keeps those of the oldest entries that may still be
  /// fresh.
  private func turn(_ now: Int64) {
    if let due = awaited, now >= due { (floor, awaited) = (max(floor, due + Int64(lead)), nil) }
    // If the clock was set back, this generation would otherwise last until the clock is there
    // again.
    turned = min(turned, now)
    guard now - turned >= 2 * Int64(longest) else { return }
    let oldestFresh = now - Int64(longest)
    if let newestStale = previous.values.filter({ $0 < oldestFresh }).max() {
      floor = max(floor, newestStale + 1)
    }
    previous = current.merging(previous.filter { $0.value >= oldestFresh }) { signed, _ in signed }
    current = [:]
    turned = now
  }
}
