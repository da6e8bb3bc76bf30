internal import Format
internal import Glibc
internal import Host

extension MetricsReply {
  /// Adds how much of what is limited is in use, and the process's time.
  mutating func addProcess(_ connections: ConnectionCaps) {
    for (socket, open) in [("services", connections.services), ("operators", connections.operators)] {
      add(.socketConnections, open.count, [socket])
      add(.socketConnectionsLimit, open.total, [socket])
    }
    for pool in SecretStack.Pool.allCases {
      let usage = SecretStack.usage(of: pool)
      add(.stacks, usage.used, [pool.rawValue])
      add(.stacksLimit, usage.count, [pool.rawValue])
    }
    // Microseconds, by POSIX.
    add(.processorTime, clock() * 1000)
  }
}
