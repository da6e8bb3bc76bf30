internal import SecretMemory

/// Counts connections, in all and per user, against their caps.
package final class ConnectionLimits: @unchecked Sendable {
  private let lock = Lock()
  private let total: Int
  private let perUser: Int
  /// Guarded by `lock`.
  private var open: [UInt32: Int] = [:]
  private var openInAll = 0

  package init(total: Int, perUser: Int) { (self.total, self.perUser) = (total, perUser) }

  /// Takes a place for one connection, or returns false where there is none.
  package func take(uid: UInt32) -> Bool {
    lock.withLock {
      guard openInAll < total, open[uid, default: 0] < perUser else { return false }
      openInAll += 1
      open[uid, default: 0] += 1
      return true
    }
  }

  package func giveBack(uid: UInt32) {
    lock.withLock {
      openInAll -= 1
      open[uid, default: 1] -= 1
      if open[uid] == 0 { open[uid] = nil }
    }
  }

  package var count: Int { lock.withLock { openInAll } }
}
