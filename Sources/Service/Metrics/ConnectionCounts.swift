internal import Host
internal import Operations
internal import Policy

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
