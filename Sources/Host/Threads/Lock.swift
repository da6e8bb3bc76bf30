import CLinux
import Glibc

/// A `pthread_mutex`: four times cheaper than `Synchronization.Mutex` on Linux, and safe in a
/// forked child.
@safe package final class Lock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
  }

  package func withLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// For critical sections that move non-copyable values in or out, which a closure cannot consume.
  package func lock() { unsafe pthread_mutex_lock(mutex) }
  package func unlock() { unsafe pthread_mutex_unlock(mutex) }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }
}

/// A `pthread_mutex` with one condition variable.
@safe package final class Monitor: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe condition = .allocate(capacity: 1)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  /// The clock of `wait(until:)`, in nanoseconds.
  package static var now: Int64 { kist_monotonic_nanoseconds() }

  package func withLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Releases the lock until `wakeAll`; call it only inside `withLock`, in a loop that checks the
  /// condition again.
  package func wait() { unsafe pthread_cond_wait(condition, mutex) }

  /// As `wait`, but no longer than until `deadline`, in nanoseconds of `now`.
  ///
  /// - Returns: false when the deadline has passed.
  package func wait(until deadline: Int64) -> Bool {
    var time = timespec(
      tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    return unsafe pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
  }

  /// Best called after `withLock`: a thread woken inside it would only block on the lock.
  package func wakeAll() { unsafe pthread_cond_broadcast(condition) }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe condition.deallocate()
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }
}

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

/// A value that one thread gives to another, once; `take` waits for it.
package final class Handover<Value: ~Copyable & Sendable>: @unchecked Sendable {
  private let signal = Signal()
  /// Owned by the giver until the signal, then by the taker.
  private var value: Value?

  package init() {}

  package convenience init(_ value: consuming Value) {
    self.init()
    give(value)
  }

  package func give(_ value: consuming Value) {
    self.value = consume value
    signal.give()
  }

  package func take() -> Value {
    signal.wait()
    guard let value = value.take() else {
      preconditionFailure("what was handed over is taken once")
    }
    return value
  }
}
