internal import Glibc

/// The signals the daemon acts on, taken one at a time by the thread that waits for them.
package enum Signals {
  package enum Signal: Sendable {
    case stop
    case reload
  }

  /// Keeps them from every thread started from now on.
  package static func block() {
    var set = handled
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    // A caller that hangs up is an error of write, not a reason to die.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits for the next one, so many seconds; nil where none came.
  package static func next(within seconds: Int) -> Signal? {
    var set = handled
    var time = timespec(tv_sec: seconds, tv_nsec: 0)
    switch unsafe sigtimedwait(&set, nil, &time) {
    case SIGHUP: return .reload
    case SIGTERM, SIGINT: return .stop
    default: return nil
    }
  }

  private static var handled: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
    return set
  }
}
