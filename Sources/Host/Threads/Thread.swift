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
