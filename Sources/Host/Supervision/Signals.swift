import Glibc

/// The signals that the daemon handles, taken one at a time by one waiting thread.
package enum Signals {
  package enum Signal: Sendable {
    case stop
    case reload
    /// Take anew who is who.
    case accounts
  }

  /// Blocks them in this thread and in every thread started from now on.
  package static func block() {
    var set = handled
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    // So that writing to a client that has hung up is an error and does not kill the daemon.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits up to `seconds` for the next signal; nil if none came.
  package static func next(within seconds: Int) -> Signal? {
    var set = handled
    var time = timespec(tv_sec: seconds, tv_nsec: 0)
    switch unsafe sigtimedwait(&set, nil, &time) {
    case SIGHUP: return .reload
    // One that a process ignores before it has a word in the matter: kistd may be just starting.
    case SIGURG: return .accounts
    case SIGTERM, SIGINT: return .stop
    default: return nil
    }
  }

  private static var handled: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP, SIGURG] { unsafe sigaddset(&set, number) }
    return set
  }
}
