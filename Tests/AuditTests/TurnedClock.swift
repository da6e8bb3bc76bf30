import Format
import Synchronization

/// A clock that the test turns.
final class TurnedClock: Sendable {
  private let minutes = Atomic<Int>(0)

  var now: Timestamp {
    Timestamp(seconds: 1_800_000_000 + 60 * Int64(minutes.load(ordering: .relaxed)))
  }

  func advance(_ count: Int) { minutes.add(count, ordering: .relaxed) }
}
