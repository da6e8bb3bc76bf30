internal import Operations
internal import Policy
internal import Threads

/// The counts of one connection, so that no two connections wait for each other to count.
package final class ConnectionCounts: @unchecked Sendable {
  /// The account; nil for what belongs to no connection.
  let person: UInt32?
  private let lock = Lock()
  /// Guarded by `lock`.
  private var counts = Counts()

  init(of person: UInt32?) { self.person = person }

  var sum: Counts { lock.withLock { counts } }

  func note(_ denial: Denial) { lock.withLock { counts.note(denial) } }

  func note(_ cause: BusyCause) { lock.withLock { counts.note(cause) } }

  func note(_ error: OperationError) {
    switch error {
    case .noSuchKey: note(.unknownKey)
    case .busy(let cause): note(cause)
    case .wire, .rejected, .fault: return
    }
  }

  func note(claimedIn nanoseconds: UInt64, isAway: Bool) { lock.withLock { counts.note(claimedIn: nanoseconds, isAway: isAway) } }

  func note(claimsRefused count: Int) { lock.withLock { counts.note(claimsRefused: count) } }

  func noteDuplicate() { lock.withLock { counts.noteDuplicate() } }

  func note(commitOf records: Int) { lock.withLock { counts.note(commitOf: records) } }

  func note(_ answered: [ReplyBuffer.Entry], queued: UInt64, committed: UInt64?) {
    lock.withLock { counts.note(answered, queued: queued, committed: committed) }
  }
}
