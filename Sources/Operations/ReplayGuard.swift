package import Audit
package import Encoding
internal import SecretMemory

/// Remembers which transactions were opened, for as long as their tokens would still be fresh [OP-OPEN-6].
///
/// It keeps two generations, each as long as a token can stay fresh: twice the freshness window, since a signing time may
/// lie that far on either side of now. What it drops is stale, and nothing signed as early is taken any more, wherever the
/// clock goes. Its lasting memory is the audit log, from which it is filled again at start.
package final class ReplayGuard: @unchecked Sendable {
  package enum Answer: Equatable, Sendable {
    /// The transaction is this caller's to open; a later one with the same digest is refused.
    case reserved
    case replayed
    /// Signed before what the guard can remember, which happens only after the clock went back.
    case forgotten
    /// The guard remembers as much as it may.
    case full
  }

  private let lock = Lock()
  /// The longest freshness window it can guard, in seconds.
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
  ///   - capacity: transactions remembered per generation.
  ///   - complete: the moment from which on every opening has been, or will be, remembered.
  package init(window: UInt32, capacity: Int, complete: Timestamp) {
    self.window = window
    generation = 2 * Int64(window)
    self.capacity = capacity
    turned = complete.seconds
    floor = Self.floor(window, complete)
  }

  /// Takes a transaction for opening.
  package func reserve(_ transaction: KeyedDigest, signedAt: Timestamp, now: Timestamp) -> Answer {
    lock.withLock {
      turn(now.seconds)
      guard current[transaction] == nil, previous[transaction] == nil else { return .replayed }
      guard signedAt.seconds >= floor else { return .forgotten }
      guard current.count < capacity else { return .full }
      current[transaction] = signedAt.seconds
      return .reserved
    }
  }

  /// Gives a transaction back whose opening failed.
  package func release(_ transaction: KeyedDigest) {
    lock.withLock { _ = current.removeValue(forKey: transaction) ?? previous.removeValue(forKey: transaction) }
  }

  /// Remembers an opening that the audit log tells of.
  ///
  /// The log has no signing time: it was at most a window after the opening.
  /// - Parameter openedAt: later than `now` where the clock has been set back since.
  package func restore(_ transaction: KeyedDigest, openedAt: Timestamp, now: Timestamp) {
    lock.withLock {
      turn(min(openedAt, now).seconds)
      current[transaction] = openedAt.seconds + Int64(window)
    }
  }

  /// Openings before `complete` are not all remembered: what may be one of them is refused.
  package func distrust(before complete: Timestamp) {
    lock.withLock { floor = max(floor, Self.floor(window, complete)) }
  }

  /// What it knows: every opening signed at `floor` or later is among these, with its signing time or a later one, in seconds.
  package struct Contents: Equatable, Sendable {
    package let floor: Int64
    /// Of both generations.
    package let openings: [[KeyedDigest: Int64]]

    package init(floor: Int64, openings: [[KeyedDigest: Int64]]) { (self.floor, self.openings) = (floor, openings) }
  }

  package var contents: Contents { lock.withLock { Contents(floor: floor, openings: [current, previous]) } }

  /// Goes on with what another guard knew.
  package init(window: UInt32, capacity: Int, _ contents: Contents, now: Timestamp) {
    self.window = window
    generation = 2 * Int64(window)
    self.capacity = capacity
    turned = now.seconds
    (floor, previous) = (contents.floor, contents.openings.reduce(into: [:]) { $0.merge($1) { max($0, $1) } })
  }

  /// Whatever was opened before `complete` was signed at most a window after it.
  private static func floor(_ window: UInt32, _ complete: Timestamp) -> Int64 { complete.seconds + Int64(window) }

  /// Begins another generation when it is time; of the oldest it keeps what may still be fresh.
  private func turn(_ now: Int64) {
    // A clock that was set back would otherwise keep this generation until it is there again.
    turned = min(turned, now)
    guard now - turned >= generation else { return }
    let oldestFresh = now - Int64(window)
    if let newestStale = previous.values.filter({ $0 < oldestFresh }).max() { floor = max(floor, newestStale + 1) }
    previous = current.merging(previous.filter { $0.value >= oldestFresh }) { signed, _ in signed }
    current = [:]
    turned = now
  }
}
