// Threads: threads, locks, and stacks in secret memory.
// It knows pthreads, and runs work that touches secrets on stacks that nobody else can read.
// It must not know what runs on a thread, nor what a lock guards.

import CLinux
import Glibc

/// Detached POSIX threads with small stacks.
package enum Thread {
  /// Where a thread's stack is.
  package enum Stack: Sendable {
    /// In secret memory, if the process has such stacks.
    case secret
    /// In ordinary memory: for a thread that reads no secret.
    case ordinary
  }

  /// 256 KiB; the default of 8 MiB would count against locked memory.
  private static let stackSize = 256 * 1024

  /// Runs `body` on a thread of its own.
  ///
  /// - Returns: false if the system has no thread to give, or no secret stack is free.
  package static func start(on kind: Stack = .secret, _ body: @escaping @Sendable () -> Void)
    -> Bool
  {
    guard kind == .secret, SecretStack.isInstalled else { return start(Work(nil, body)) }
    guard let stack = SecretStack.Stack() else { return false }
    return start(Work(stack, body))
  }

  private static func start(_ work: Work) -> Bool {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, stackSize)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let held = unsafe Unmanaged.passRetained(work)
    var thread = pthread_t()
    let error = unsafe pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, held.toOpaque())
    guard error == 0 else {
      unsafe held.release()
      return false
    }
    return true
  }

  /// Limits malloc to one arena for each processor, since no more threads run at once.
  ///
  /// By default glibc makes up to eight for each, and each keeps what its threads freed.
  package static func limitHeaps() { _ = kist_limit_heaps(kist_processors()) }

  /// Makes the calling thread sleep.
  package static func sleep(nanoseconds: Int64) {
    var wait = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var rest = timespec()
    while unsafe nanosleep(&wait, &rest) != 0, errno == EINTR { wait = rest }
  }

  /// What a thread runs, and the secret stack that it runs on.
  private final class Work: Sendable {
    private let stack: SecretStack.Stack?
    private let body: @Sendable () -> Void

    init(_ stack: consuming SecretStack.Stack?, _ body: @escaping @Sendable () -> Void) {
      self.stack = stack
      self.body = body
    }

    func run() {
      switch stack {
      case .some(let stack): stack.run(body)
      case nil: body()
      }
    }
  }
}

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
