/// A thread that does a piece of work each time it is called; there is none before the first call, nor long after the last.
package final class CalledThread: @unchecked Sendable {
  package typealias Starting = @Sendable (@escaping @Sendable () -> Void) -> Bool

  private let start: Starting
  private let patience: Int64
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var isCalled = false
  private var isRunning = false

  /// - Parameters:
  ///   - patience: how long it waits for a call before it ends, in nanoseconds.
  ///   - start: as `Thread.start`.
  package init(patience: Int64 = 10_000_000_000, start: @escaping Starting = { Thread.start($0) }) {
    (self.start, self.patience) = (start, patience)
  }

  /// Has the work done once more, behind what is being done.
  ///
  /// - Parameter work: the same each time.
  /// - Returns: false where the system has no thread to give.
  package func call(_ work: @escaping @Sendable () -> Void) -> Bool {
    defer { monitor.wakeAll() }
    return monitor.withLock {
      isCalled = true
      if !isRunning { isRunning = start { while self.isWanted() { work() } } }
      isCalled = isRunning
      return isRunning
    }
  }

  /// Waits for a call; false where none came for long, and the thread is to end.
  private func isWanted() -> Bool {
    monitor.withLock {
      let end = Monitor.now + patience
      while !isCalled, monitor.wait(until: end) {}
      isRunning = isCalled
      isCalled = false
      return isRunning
    }
  }
}
