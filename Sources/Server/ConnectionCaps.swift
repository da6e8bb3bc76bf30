internal import Glibc
internal import Operations
internal import Policy

/// The connections of both sockets; each socket has caps of its own, so that services cannot lock operators out.
struct ConnectionCaps: Sendable {
  let services, operators: OpenConnections

  init(_ limits: LimitsConfiguration) {
    services = OpenConnections(total: limits.connections, perUser: limits.connectionsPerUser)
    operators = OpenConnections(total: limits.operatorConnections, perUser: limits.operatorConnectionsPerUser, kept: Self.keptForLock)
  }

  /// Connections that only who may `lock` can have, so that nobody keeps the key store open.
  static let keptForLock = 1

  var count: Int { services.count + operators.count }

  /// Closes both sockets to new connections, and waits for the open ones to finish what they have received.
  ///
  /// - Returns: whether all had finished within `seconds`.
  func drain(seconds: Int) -> Bool {
    services.close()
    operators.close()
    for _ in 0..<seconds * 200 where count > 0 { usleep(5_000) }
    return count == 0
  }
}
