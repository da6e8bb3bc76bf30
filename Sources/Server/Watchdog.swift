internal import Host
internal import Service

/// Tells the service manager again and again that the daemon is alive, if the unit has `WatchdogSec=`.
///
/// Each message follows a worker, a thread like a connection's, that took the locks of the service and of the log. None of these is held while the
/// disk is written. So a slow disk delays no message, but after a deadlock there are none, and the service manager ends the daemon.
struct Watchdog: Sendable {
  private let manager: ServiceManager
  private let service: Service
  private let microseconds: UInt64

  /// Nil if nobody waits for the messages.
  init?(_ manager: ServiceManager, _ service: Service) {
    guard let microseconds = ServiceManager.watchdogMicroseconds else { return nil }
    (self.manager, self.service, self.microseconds) = (manager, service, microseconds)
  }

  /// - Returns: false if the system has no thread to give.
  func start() -> Bool {
    Thread.start(on: .ordinary) {
      while true {
        visit()
        manager.tell(.alive)
        // Three times as often as is asked for.
        Thread.sleep(nanoseconds: Int64(clamping: microseconds) * 1000 / 3)
      }
    }
  }

  /// Has a worker take the locks, and waits for it. Where connections have all stacks, this thread takes them itself.
  private func visit() {
    let done = Signal()
    let isVisited = Thread.start {
      service.touchLocks()
      done.give()
    }
    if isVisited { done.wait() } else { service.touchLocks() }
  }
}
