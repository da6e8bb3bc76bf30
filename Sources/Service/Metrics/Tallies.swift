internal import Host

/// The counts of all connections, those that have ended included.
final class Tallies: @unchecked Sendable {
  /// Of what belongs to no connection: refused connections, and the log's commits.
  let own = ConnectionCounts(of: nil)
  private let lock = Lock()
  // Guarded by `lock`, which is held while a connection's own lock is taken.
  private var open: [ObjectIdentifier: ConnectionCounts] = [:]
  private var ended = Counts()

  func begin(for person: UInt32) -> ConnectionCounts {
    let counts = ConnectionCounts(of: person)
    lock.withLock { open[ObjectIdentifier(counts)] = counts }
    return counts
  }

  /// Call it once all of the connection's replies have left.
  func end(_ counts: ConnectionCounts) {
    lock.withLock {
      guard open.removeValue(forKey: ObjectIdentifier(counts)) != nil else { return }
      ended.add(counts.sum)
    }
  }

  /// What was counted since the start, and how many connections each account has.
  var sum: (counts: Counts, connections: [UInt32: Int]) {
    lock.withLock {
      var (sum, connections) = (ended, [UInt32: Int]())
      sum.add(own.sum)
      for counts in open.values {
        sum.add(counts.sum)
        if let person = counts.person { connections[person, default: 0] += 1 }
      }
      return (sum, connections)
    }
  }
}

extension Service {
  /// The counts of a new connection; `endCounts` takes them back.
  package func makeCounts(for person: UInt32) -> ConnectionCounts { tallies.begin(for: person) }

  package func endCounts(_ counts: ConnectionCounts) { tallies.end(counts) }
}
