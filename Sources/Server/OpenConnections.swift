internal import Glibc
internal import Threads

/// The connections of one socket, counted against a total cap and a cap per user.
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

  package enum Admission: Sendable {
    case taken
    /// No place is left, in total or for this user.
    case full
    /// The daemon stops.
    case closing
  }

  /// Takes a place for a connection, if there is one.
  package func take(_ socket: Int32, uid: UInt32) -> Admission {
    lock.withLock {
      guard !isClosing else { return .closing }
      guard sockets.count < total, perUID[uid, default: 0] < perUser else { return .full }
      sockets.insert(socket)
      perUID[uid, default: 0] += 1
      return .taken
    }
  }

  /// Gives the place back. Call it before the socket is closed, since its number may be another connection's afterwards.
  package func giveBack(_ socket: Int32, uid: UInt32) {
    lock.withLock {
      sockets.remove(socket)
      perUID[uid, default: 1] -= 1
      if perUID[uid] == 0 { perUID[uid] = nil }
    }
  }

  /// Takes no new connections, and lets each open one finish what it has received but read nothing more.
  package func close() {
    lock.withLock {
      isClosing = true
      for socket in sockets { shutdown(socket, Int32(SHUT_RD)) }
    }
  }
}
