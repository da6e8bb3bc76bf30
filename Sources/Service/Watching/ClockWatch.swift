internal import Format
internal import Host
internal import Policy

/// Detects that the wall clock was set, by comparing it with the monotonic clock; at first, that it is behind the log.
final class ClockWatch: @unchecked Sendable {
  /// One second: smaller steps are a clock being disciplined, not set.
  private static let tolerance: Int64 = 1_000_000

  private let lock = Lock()
  /// Wall time minus monotonic time at the last check, in microseconds; guarded by `lock`.
  private var offset: Int64?

  /// - Parameter newest: the time of the last record before, if any.
  init(newest: Timestamp?, wall: Timestamp, monotonic: MonotonicTime) {
    offset = newest.flatMap { $0 > wall ? $0.microseconds - monotonic.nanoseconds / 1000 : nil }
  }

  /// By how many microseconds the wall clock was set since the last check, at least; nil if it was not.
  func step(wall: Timestamp, monotonic: MonotonicTime) -> Int64? {
    let now = wall.microseconds - monotonic.nanoseconds / 1000
    return lock.withLock {
      defer { if offset == nil { offset = now } }
      guard let last = offset, abs(now - last) >= Self.tolerance else { return nil }
      offset = now
      return now - last
    }
  }
}
