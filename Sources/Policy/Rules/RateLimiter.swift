internal import Host

/// Token buckets, one for each grant and user; they outlive the policy, so a reload refills nothing.
///
/// A bucket is stored as the time at which it will be full again.
package final class RateLimiter: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var fullAt: [Bucket: Int64] = [:]
  private let capacity: Int

  /// - Parameter capacity: how many buckets are remembered; when all are in use, further users are refused.
  package init(capacity: Int = 65_536) { self.capacity = capacity }

  /// Takes one token; returns false if none is left.
  package func take(grant: String, uid: UInt32, rate: Rate, now: MonotonicTime) -> Bool {
    let bucket = Bucket(grant: grant, uid: uid)
    return lock.withLock {
      let full = max(fullAt[bucket] ?? now.nanoseconds, now.nanoseconds)
      guard full - now.nanoseconds <= rate.interval * (rate.count - 1) else { return false }
      guard fullAt[bucket] != nil || hasRoom(at: now) else { return false }
      fullAt[bucket] = full + rate.interval
      return true
    }
  }

  /// Nanoseconds until there is a token; 0 if there is one, and where no bucket is known.
  package func wait(grant: String, uid: UInt32, rate: Rate, now: MonotonicTime) -> Int64 {
    let full = lock.withLock { fullAt[Bucket(grant: grant, uid: uid)] } ?? now.nanoseconds
    return max(0, full - now.nanoseconds - rate.interval * (rate.count - 1))
  }

  /// Drops full buckets, which hold no information, if there is no room.
  private func hasRoom(at now: MonotonicTime) -> Bool {
    if fullAt.count < capacity { return true }
    fullAt = fullAt.filter { $0.value > now.nanoseconds }
    return fullAt.count < capacity
  }

  private struct Bucket: Hashable {
    let grant: String
    let uid: UInt32
  }
}
