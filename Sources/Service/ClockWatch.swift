internal import Encoding
internal import SecretMemory
internal import Policy

/// Notices a wall clock that was set: it moved by another time than the monotonic one.
final class ClockWatch: @unchecked Sendable {
  /// Less than this is a clock being disciplined, not set: a second.
  private static let tolerance: Int64 = 1_000_000

  private let lock = Lock()
  /// Wall minus monotonic time in microseconds at the last look; guarded by `lock`.
  private var offset: Int64?

  /// How far the wall clock was set since the last look, in microseconds; nil where it was not.
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
