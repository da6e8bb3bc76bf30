import TestSupport

/// What the service asked to be done later; done when the time has passed in the simulation.
final class Timers: Sendable {
  private let waiting = Locked<[(nanoseconds: Int64, action: @Sendable () -> Void)]>([])

  func add(_ delay: Int64, _ action: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append((delay, action)) }
  }

  func run(for seconds: Int64) {
    let due = waiting.withLock { waiting in
      let due = waiting.filter { $0.nanoseconds <= seconds * 1_000_000_000 }.sorted {
        $0.nanoseconds < $1.nanoseconds
      }
      waiting = waiting.filter { $0.nanoseconds > seconds * 1_000_000_000 }.map {
        ($0.nanoseconds - seconds * 1_000_000_000, $0.action)
      }
      return due
    }
    for timer in due { timer.action() }
  }

  func clear() { waiting.withLock { $0 = [] } }
}
