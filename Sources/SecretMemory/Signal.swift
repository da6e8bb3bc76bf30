/// Something that one thread waits for and another one gives, once.
package final class Signal: Sendable {
  private let monitor = Monitor()
  /// Guarded by `monitor`.
  nonisolated(unsafe) private var isGiven = false

  package init() {}

  /// What was written before `give` can be read after this.
  package func wait() { monitor.withLock { while unsafe !isGiven { monitor.wait() } } }

  package func give() {
    monitor.withLock { unsafe isGiven = true }
    monitor.wakeAll()
  }
}
