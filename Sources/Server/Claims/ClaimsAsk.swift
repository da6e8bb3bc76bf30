internal import Format
internal import Host

/// One question to kist-claimd, and the thread that waits for its answer.
final class ClaimsAsk: @unchecked Sendable {
  /// How many claims it has.
  let count: Int
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var isAnswered = false
  private var holdings: [ClaimHolding]?

  init(_ count: Int) { self.count = count }

  /// - Parameter holdings: nil if the store is away.
  func answer(_ holdings: [ClaimHolding]?) {
    monitor.withLock { (isAnswered, self.holdings) = (true, holdings) }
    monitor.wakeAll()
  }

  /// Waits for the answer; nil if there is none by then, in nanoseconds of `Monitor.now`. [FLEET-SOCK-2]
  func wait(until deadline: Int64) -> [ClaimHolding]? {
    monitor.withLock {
      while !isAnswered, monitor.wait(until: deadline) {}
      return holdings
    }
  }
}
