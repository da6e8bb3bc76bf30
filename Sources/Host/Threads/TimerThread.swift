/// Runs actions when their time has come.
///
/// One thread waits for all of them from the start on, so that a later lack of threads loses none:
/// who has asked for an action asks for no other before that one has run.
package final class TimerThread: @unchecked Sendable {
  package typealias Action = @Sendable () -> Void

  private let start: CalledThread.Starting
  private let monitor = Monitor()
  /// Guarded by `monitor`. Times are those of `Monitor.now`, in nanoseconds.
  private var waiting: [(time: Int64, action: Action)] = []

  /// - Parameter start: as `Thread.start`.
  package init(start: @escaping CalledThread.Starting = { Thread.start(on: .ordinary, $0) }) {
    self.start = start
  }

  /// Begins to run actions, first those that are due already.
  ///
  /// - Returns: false if the system has no thread to give.
  package func begin() -> Bool {
    start { [self] in
      while true {
        let action = takeNext()
        // On a thread of its own, since an action may have to wait; if there is none, the others
        // wait with it.
        if !start(action) { action() }
      }
    }
  }

  /// Has the action run after some nanoseconds.
  package func after(_ nanoseconds: Int64, _ action: @escaping Action) {
    monitor.withLock { waiting.append((Monitor.now + nanoseconds, action)) }
    monitor.wakeAll()
  }

  private func takeNext() -> Action {
    monitor.withLock {
      while true {
        guard let next = waiting.indices.min(by: { waiting[$0].time < waiting[$1].time }) else {
          monitor.wait()
          continue
        }
        guard waiting[next].time > Monitor.now else { return waiting.remove(at: next).action }
        _ = monitor.wait(until: waiting[next].time)
      }
    }
  }
}
