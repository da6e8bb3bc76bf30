internal import SecretMemory

/// How much of each grant's rate each user has used up; outlives the policy, so a reload refills nothing.
///
/// One token bucket per grant and user, kept as the moment at which it will be full again.
package final class RateLimiter: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var fullAt: [Bucket: Int64] = [:]
  private let capacity: Int

  /// - Parameter capacity: buckets remembered; when all are in use, further users are refused.
  package init(capacity: Int = 65_536) { self.capacity = capacity }

  /// Takes one token, or returns false where none is left.
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

  /// A bucket that is full again holds no information, so such buckets make room.
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
