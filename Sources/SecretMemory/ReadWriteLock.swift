internal import Glibc

/// A `pthread_rwlock`: many at once, or one alone.
///
/// Taken and given back by hand, since a closure could not consume the non-copyable values that travel under it.
@safe package final class ReadWriteLock: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>

  package init() {
    unsafe lock = .allocate(capacity: 1)
    unsafe pthread_rwlock_init(lock, nil)
  }

  package func lockForReading() { unsafe pthread_rwlock_rdlock(lock) }
  package func lockForWriting() { unsafe pthread_rwlock_wrlock(lock) }
  package func unlock() { unsafe pthread_rwlock_unlock(lock) }

  deinit {
    unsafe pthread_rwlock_destroy(lock)
    unsafe lock.deallocate()
  }
}
