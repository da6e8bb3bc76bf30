/// A worker thread that is started on demand, runs one piece of work at a time, and ends when it
/// has had no work for a while.
package final class CalledThread: @unchecked Sendable {
  package typealias Starting = @Sendable (@escaping @Sendable () -> Void) -> Bool

  private let start: Starting
  private let patience: Int64
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var next: (@Sendable () -> Void)?
  private var isRunning = false
  private var isDismissed = false

  /// - Parameters:
  ///   - patience: how long an idle thread waits for a call before it ends, in nanoseconds.
  ///   - start: as `Thread.start`.
  package init(patience: Int64 = 10_000_000_000, start: @escaping Starting = { Thread.start($0) }) {
    self.start = start
    self.patience = patience
  }

  /// Queues `work` behind what is running; the queue has one place, so a piece of work that has not
  /// begun is replaced.
  ///
  /// - Returns: false if the system has no thread to give.
  package func call(_ work: @escaping @Sendable () -> Void) -> Bool {
    defer { monitor.wakeAll() }
    return monitor.withLock {
      if !isRunning { isRunning = start { while let work = self.takeNext() { work() } } }
      next = isRunning ? work : nil
      return isRunning
    }
  }

  /// Ends the thread as soon as it is idle, instead of after `patience`.
  package func dismiss() {
    monitor.withLock { isDismissed = true }
    monitor.wakeAll()
  }

  /// Waits for a call; nil if none came in time or the thread was dismissed, and the thread must
  /// end.
  private func takeNext() -> (@Sendable () -> Void)? {
    monitor.withLock {
      let end = Monitor.now + patience
      while next == nil, !isDismissed, monitor.wait(until: end) {}
      isRunning = next != nil
      return next.take()
    }
  }
}
