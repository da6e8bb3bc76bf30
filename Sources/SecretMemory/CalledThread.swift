/// A thread that does what it is called for, one piece of work after the other; there is none before the first call, nor long after the last.
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
  ///   - patience: how long it waits for a call before it ends, in nanoseconds.
  ///   - start: as `Thread.start`.
  package init(patience: Int64 = 10_000_000_000, start: @escaping Starting = { Thread.start($0) }) {
    (self.start, self.patience) = (start, patience)
  }

  /// Has a piece of work done behind the one that is being done, in place of one that has not begun.
  ///
  /// - Returns: false where the system has no thread to give.
  package func call(_ work: @escaping @Sendable () -> Void) -> Bool {
    defer { monitor.wakeAll() }
    return monitor.withLock {
      if !isRunning { isRunning = start { while let work = self.takeNext() { work() } } }
      next = isRunning ? work : nil
      return isRunning
    }
  }

  /// Has the thread end as soon as it has nothing to do, instead of waiting for calls that will not come.
  package func dismiss() {
    monitor.withLock { isDismissed = true }
    monitor.wakeAll()
  }

  /// Waits for a call; nil where none came for long, and the thread is to end.
  private func takeNext() -> (@Sendable () -> Void)? {
    monitor.withLock {
      let end = Monitor.now + patience
      while next == nil, !isDismissed, monitor.wait(until: end) {}
      isRunning = next != nil
      return next.take()
    }
  }
}
