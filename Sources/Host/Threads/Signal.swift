/// An event that one thread gives and another waits for, once.
package final class Signal: Sendable {
  private let monitor = Monitor()
  /// Guarded by `monitor`.
  nonisolated(unsafe) private var isGiven = false

  package init() {}

  /// Writes made before `give` are visible after `wait`.
  package func wait() { monitor.withLock { while unsafe !isGiven { monitor.wait() } } }

  package func give() {
    monitor.withLock { unsafe isGiven = true }
    monitor.wakeAll()
  }
}
