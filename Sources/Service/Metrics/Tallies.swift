import Host
import Operations
import Policy

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
      var sum = ended
      var connections = [UInt32: Int]()
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

/// The counts of one connection, so that no two connections wait for each other to count.
package final class ConnectionCounts: @unchecked Sendable {
  /// The account; nil for what belongs to no connection.
  let person: UInt32?
  private let lock = Lock()
  /// Guarded by `lock`.
  private var counts = Counts()

  init(of person: UInt32?) { self.person = person }

  var sum: Counts { lock.withLock { counts } }

  func note(_ denial: Denial) { change { $0.note(denial) } }

  func note(_ cause: BusyCause) { change { $0.note(cause) } }

  func note(_ error: OperationError) {
    switch error {
    case .noSuchKey: note(.unknownKey)
    case .busy(let cause): note(cause)
    case .wire, .rejected, .fault: return
    }
  }

  func change(_ body: (inout Counts) -> Void) { lock.withLock { body(&counts) } }
}

/// Measures the steps of one batch, in nanoseconds, and counts it once it is answered.
struct BatchWatch: Sendable {
  /// What a batch took.
  struct Times {
    /// For how long it waited for its turn.
    let queued: UInt64
    /// For how long it waited for its records; nil if it had none.
    let committed: UInt64?
    /// From when it had arrived to when its replies can leave.
    let all: UInt64
  }

  let counts: ConnectionCounts
  private let arrived: Int64
  private var queued: UInt64 = 0
  /// When the last step ended.
  private var last: Int64

  /// - Parameter arrived: when it was read; nil for now.
  init(_ counts: ConnectionCounts, arrived: Int64?, at now: MonotonicTime) {
    self.counts = counts
    self.arrived = arrived ?? now.nanoseconds
    last = now.nanoseconds
    counts.change { $0.inFlight += 1 }
  }

  /// Its turn has come.
  mutating func begin(at now: Int64) { queued = step(at: now) }

  /// How long the step took that ends now.
  mutating func step(at now: Int64) -> UInt64 {
    defer { last = now }
    return Self.time(from: last, to: now)
  }

  /// - Parameter hasRecords: whether they are durable since now.
  func count(_ answers: [ReplyBuffer.Entry], at now: MonotonicTime, hasRecords: Bool) {
    let now = now.nanoseconds
    let times = Times(
      queued: queued, committed: hasRecords ? Self.time(from: last, to: now) : nil,
      all: Self.time(from: arrived, to: now))
    counts.change { $0.note(answers, times) }
  }

  private static func time(from begin: Int64, to end: Int64) -> UInt64 {
    UInt64(max(0, end - begin))
  }
}
