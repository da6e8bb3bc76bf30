import Host

/// How often a grant may be used by one user: `100/s`, `6000/m`, `20/h`.
package struct Rate: Hashable, Sendable {
  package enum Period: Character, Sendable {
    case second = "s"
    case minute = "m"
    case hour = "h"

    var nanoseconds: Int64 {
      switch self {
      case .second: 1_000_000_000
      case .minute: 60_000_000_000
      case .hour: 3_600_000_000_000
      }
    }
  }

  /// Uses per period, which is also the largest burst.
  package let count: Int64
  package let period: Period

  /// Parses the policy file's form: 1 to 1 000 000, a slash, and `s`, `m` or `h`.
  package init?(_ text: String) {
    guard let (count, period) = Period.counted(text, atMost: 1_000_000) else { return nil }
    self.count = count
    self.period = period
  }

  package init(_ count: Int64, per period: Period) {
    self.count = count
    self.period = period
  }

  /// Of each person's questions under all grants that state no rate: 600 at once, ten a second.
  ///
  /// Each has a record, and nothing else limits how fast these fill the log's disk.
  static let ofQuestions = Rate(600, per: .minute)

  /// The time until one use becomes available again, in nanoseconds.
  var interval: Int64 { period.nanoseconds / count }
}

extension Rate: CustomStringConvertible {
  package var description: String { "\(count)/\(period.rawValue)" }
}

/// Token buckets, one for each grant and user; they outlive the policy, so a reload refills
/// nothing.
///
/// A bucket is stored as the time at which it will be full again.
package final class RateLimiter: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var fullAt: [Bucket: Int64] = [:]
  private let capacity: Int

  /// - Parameter capacity: how many buckets are remembered; when all are in use, further users are
  ///   refused.
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
