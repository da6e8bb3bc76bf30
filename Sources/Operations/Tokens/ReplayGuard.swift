package import Audit
package import Encoding
internal import Threads

/// Remembers which transactions were opened, for as long as their tokens could still be fresh [OP-OPEN-6].
///
/// It keeps two generations, each twice the freshness window long, because a signing time may be that far before or after the
/// present. Entries that it drops are stale; tokens signed as early are refused from then on, even if the clock goes back.
/// It is refilled from the audit log at start.
package final class ReplayGuard: @unchecked Sendable {
  package enum Reservation: Equatable, Sendable {
    /// The caller may open the transaction; another attempt with the same digest is refused.
    case reserved
    case replayed
    /// The token was signed before the time that the guard remembers, which happens only after the clock went back.
    case forgotten
    /// The guard has no room left.
    case full
  }

  private let lock = Lock()
  /// The longest freshness window that it protects, in seconds.
  package let window: UInt32
  private let generation: Int64
  private let capacity: Int
  // Guarded by `lock`; signing times in seconds.
  private var current: [KeyedDigest: Int64] = [:]
  private var previous: [KeyedDigest: Int64] = [:]
  private var turned: Int64
  private var floor: Int64

  /// - Parameters:
  ///   - window: the longest freshness window of any merchant, in seconds.
  ///   - capacity: how many transactions are remembered in each generation.
  ///   - complete: the time from which on every opening has been or will be entered.
  package init(window: UInt32, capacity: Int, complete: Timestamp) {
    self.window = window
    generation = 2 * Int64(window)
    self.capacity = capacity
    turned = complete.seconds
    floor = Self.floor(window, complete)
  }

  /// Reserves a transaction for opening.
  package func reserve(_ transaction: KeyedDigest, signedAt: Timestamp, now: Timestamp) -> Reservation {
    lock.withLock {
      turn(now.seconds)
      guard current[transaction] == nil, previous[transaction] == nil else { return .replayed }
      guard signedAt.seconds >= floor else { return .forgotten }
      guard current.count < capacity else { return .full }
      current[transaction] = signedAt.seconds
      return .reserved
    }
  }

  /// Forgets a transaction whose opening failed.
  package func release(_ transaction: KeyedDigest) {
    lock.withLock { _ = current.removeValue(forKey: transaction) ?? previous.removeValue(forKey: transaction) }
  }

  /// Enters an opening found in the audit log.
  ///
  /// The log does not hold the signing time, which was at most a window after the opening.
  /// - Parameter openedAt: later than `now` if the clock was set back since.
  package func restore(_ transaction: KeyedDigest, openedAt: Timestamp, now: Timestamp) {
    lock.withLock {
      turn(min(openedAt, now).seconds)
      current[transaction] = openedAt.seconds + Int64(window)
    }
  }

  /// Not all openings before `complete` are known: refuses tokens that may be among them.
  package func distrust(before complete: Timestamp) {
    lock.withLock { floor = max(floor, Self.floor(window, complete)) }
  }

  /// A snapshot: all openings signed at `floor` or later, with their signing time or a later one, in seconds.
  package struct Contents: Equatable, Sendable {
    package let floor: Int64
    /// From both generations.
    package let openings: [[KeyedDigest: Int64]]

    package init(floor: Int64, openings: [[KeyedDigest: Int64]]) { (self.floor, self.openings) = (floor, openings) }
  }

  package var contents: Contents { lock.withLock { Contents(floor: floor, openings: [current, previous]) } }

  /// Continues from another guard's snapshot.
  package init(window: UInt32, capacity: Int, _ contents: Contents, now: Timestamp) {
    self.window = window
    generation = 2 * Int64(window)
    self.capacity = capacity
    turned = now.seconds
    (floor, previous) = (contents.floor, contents.openings.reduce(into: [:]) { $0.merge($1) { max($0, $1) } })
  }

  /// A token opened before `complete` was signed at most a window after it.
  private static func floor(_ window: UInt32, _ complete: Timestamp) -> Int64 { complete.seconds + Int64(window) }

  /// Starts a new generation when it is time; keeps those of the oldest entries that may still be fresh.
  private func turn(_ now: Int64) {
    // If the clock was set back, this generation would otherwise last until the clock is there again.
    turned = min(turned, now)
    guard now - turned >= generation else { return }
    let oldestFresh = now - Int64(window)
    if let newestStale = previous.values.filter({ $0 < oldestFresh }).max() { floor = max(floor, newestStale + 1) }
    previous = current.merging(previous.filter { $0.value >= oldestFresh }) { signed, _ in signed }
    current = [:]
    turned = now
  }
}
