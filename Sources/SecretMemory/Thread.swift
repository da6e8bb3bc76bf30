internal import CLinux
internal import Glibc

/// Detached POSIX threads with small stacks.
package enum Thread {
  /// 256 KiB: RSA-2048 uses 13 KiB, the stack wipe 32 KiB; the default 8 MiB would count against locked memory.
  private static let stackSize = 256 * 1024

  /// Runs `body` on a thread of its own.
  ///
  /// - Returns: false where the system has no thread to give.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, stackSize)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let box = unsafe Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let error = unsafe pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard error == 0 else {
      unsafe box.release()
      return false
    }
    return true
  }

  /// Lets all threads share as many heaps as there are processors, since no more of them work at once.
  ///
  /// Left alone, glibc gives eight times as many, and each keeps what its threads have freed.
  package static func limitHeaps() { _ = kist_limit_heaps(kist_processors()) }

  /// Lets the calling thread wait.
  package static func sleep(nanoseconds: Int64) {
    var (wait, rest) = (timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000)), timespec())
    while unsafe nanosleep(&wait, &rest) != 0, errno == EINTR { wait = rest }
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
