internal import Glibc

/// A `pthread_mutex` with one condition that threads wait for.
@safe package final class Monitor: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe condition = .allocate(capacity: 1)
    unsafe pthread_cond_init(condition, nil)
  }

  package func withLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Gives the lock away until `wakeAll`; only inside `withLock`, and in a loop that asks again what it waits for.
  package func wait() { unsafe pthread_cond_wait(condition, mutex) }

  package func wakeAll() { unsafe pthread_cond_broadcast(condition) }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe condition.deallocate()
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }
}
