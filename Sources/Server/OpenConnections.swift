internal import Glibc
internal import SecretMemory

/// The connections there are, counted against their caps in all and per user.
package final class OpenConnections: @unchecked Sendable {
  private let lock = Lock()
  private let total: Int
  private let perUser: Int
  // Guarded by `lock`.
  private var sockets: Set<Int32> = []
  private var perUID: [UInt32: Int] = [:]
  private var isClosing = false

  package init(total: Int, perUser: Int) { (self.total, self.perUser) = (total, perUser) }

  package var count: Int { lock.withLock { sockets.count } }

  /// Takes a place for a connection, or returns false where there is none.
  package func take(_ socket: Int32, uid: UInt32) -> Bool {
    lock.withLock {
      guard !isClosing, sockets.count < total, perUID[uid, default: 0] < perUser else { return false }
      sockets.insert(socket)
      perUID[uid, default: 0] += 1
      return true
    }
  }

  /// Gives the place back, before the socket is closed: its number may be another connection's afterwards.
  package func giveBack(_ socket: Int32, uid: UInt32) {
    lock.withLock {
      sockets.remove(socket)
      perUID[uid, default: 1] -= 1
      if perUID[uid] == 0 { perUID[uid] = nil }
    }
  }

  /// Lets every connection finish what it has received and read nothing more; waits for them.
  ///
  /// - Returns: whether all had finished after `seconds`.
  package func drain(seconds: Int) -> Bool {
    lock.withLock {
      isClosing = true
      for socket in sockets { shutdown(socket, Int32(SHUT_RD)) }
    }
    for _ in 0..<seconds * 200 where count > 0 { usleep(5_000) }
    return count == 0
  }
}
