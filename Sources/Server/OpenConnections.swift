import Glibc
import Host
import Operations
import Policy

/// The connections of one socket, counted against a total cap and a cap per user.
final class OpenConnections: @unchecked Sendable {
  private let lock = Lock()
  let total: Int
  private let perUser: Int
  private let kept: Int
  // Guarded by `lock`.
  private var open: [Int32: (line: ReplyLine, user: UInt32)] = [:]
  /// With those that are being closed: how long that takes is up to who sent descriptors, and takes
  /// places from nobody else.
  private var perUID: [UInt32: Int] = [:]
  private var isClosing = false

  /// - Parameter kept: places besides all others, for those who must always get in.
  init(total: Int, perUser: Int, kept: Int = 0) {
    self.total = total
    self.perUser = perUser
    self.kept = kept
  }

  /// Those that are served.
  var count: Int { lock.withLock { open.count } }

  enum Admission: Sendable {
    case taken
    /// No place is left, in total or for this user.
    case full
    /// The daemon stops.
    case closing
  }

  /// Takes a place for a connection. If there is none, a user who has no connection gets that of an
  /// idle one, whose user has the most.
  ///
  /// - Parameter mustGetIn: whether the places that are kept are for this user.
  func take(_ line: ReplyLine, uid: UInt32, mustGetIn: Bool = false) -> Admission {
    lock.withLock {
      guard !isClosing else { return .closing }
      guard perUID[uid, default: 0] < perUser,
        open.count < total + (mustGetIn ? kept : 0) || endAnother(for: uid)
      else { return .full }
      open[line.socket] = (line, uid)
      perUID[uid, default: 0] += 1
      return .taken
    }
  }

  private func endAnother(for uid: UInt32) -> Bool {
    guard perUID[uid] == nil else { return false }
    let counts = open.values.reduce(into: [:]) { $0[$1.user, default: 0] += 1 }
    let heaviest = open.values.filter { counts[$0.user, default: 0] > 1 }.sorted {
      counts[$0.user, default: 0] > counts[$1.user, default: 0]
    }
    guard let ended = heaviest.first(where: { $0.line.endIfIdle() }) else { return false }
    open[ended.line.socket] = nil
    return true
  }

  /// The connection is served no more, and will be closed: until `giveBack` only its user lacks the
  /// place.
  ///
  /// Call it before the socket is closed, since its number may be another connection's afterwards.
  func leave(_ line: ReplyLine) { lock.withLock { open[line.socket] = nil } }

  /// The connection is closed.
  func giveBack(uid: UInt32) {
    lock.withLock {
      perUID[uid, default: 1] -= 1
      if perUID[uid] == 0 { perUID[uid] = nil }
    }
  }

  /// Takes no new connections, and lets each open one finish what it has received but read nothing
  /// more.
  func close() {
    lock.withLock {
      isClosing = true
      for connection in open.values { connection.line.stopReading() }
    }
  }
}

/// The connections of both sockets; each socket has caps of its own, so that services cannot lock
/// operators out.
struct ConnectionCaps: Sendable {
  let services, operators: OpenConnections

  init(_ limits: LimitsConfiguration) {
    services = OpenConnections(total: limits.connections, perUser: limits.connectionsPerUser)
    operators = OpenConnections(
      total: limits.operatorConnections, perUser: limits.operatorConnectionsPerUser,
      kept: Self.keptForLock)
  }

  /// Connections that only who may `lock` can have, so that nobody keeps the key store open.
  static let keptForLock = 1

  var count: Int { services.count + operators.count }

  /// Closes both sockets to new connections, and waits for the open ones to finish what they have
  /// received.
  ///
  /// - Returns: whether all had finished within `seconds`.
  func drain(seconds: Int) -> Bool {
    services.close()
    operators.close()
    for _ in 0..<seconds * 200 where count > 0 { usleep(5_000) }
    return count == 0
  }
}
