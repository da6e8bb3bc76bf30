package import Audit
internal import Format
internal import Host
package import Operations

/// Refused connections that are not recorded yet.
final class RefusedConnectionTally: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var refused: [RefusedConnections.Kind: RefusedConnections] = [:]

  /// How many kinds are counted by user at a time; further users are counted together.
  private static let limit = 64

  /// - Returns: whether this is the first since the last `take`.
  func add(_ kind: RefusedConnections.Kind, at time: Timestamp) -> Bool {
    lock.withLock {
      let isFirst = refused.isEmpty
      let isCounted = refused[kind] != nil || refused.count < Self.limit
      let counted = isCounted ? kind : RefusedConnections.Kind(kind.socket, kind.reason, uid: nil)
      if refused[counted]?.add(at: time) == nil { refused[counted] = RefusedConnections(counted, at: time) }
      return isFirst
    }
  }

  func take() -> [RefusedConnections] {
    lock.withLock {
      defer { refused = [:] }
      return refused.values.sorted { $0.first < $1.first }
    }
  }
}

extension Service {
  /// Counts a connection that is not served. The count is recorded and reported a second later, so that a flood leaves one record
  /// a second for each user.
  ///
  /// - Parameter uid: the user, if known.
  package func refuseConnection(of uid: UInt32?, on socket: SocketKind, _ reason: RefusedConnections.Reason) {
    if reason == .full { tallies.own.note(.connections) }
    guard refusedConnections.add(RefusedConnections.Kind(socket.recorded, reason, uid: uid), at: settings.clock()) else { return }
    settings.after(1_000_000_000) { [weak self] in self?.recordRefusedConnections() }
  }

  /// Records the counts; without a log, adds them to the count for the next unlocking's record.
  func recordRefusedConnections() {
    let refused = refusedConnections.take()
    guard !refused.isEmpty else { return }
    for kind in refused { settings.report(.connectionsRefused(kind)) }
    guard let serving else { return unrecorded.add(refused.reduce(0) { $0 + $1.count }) }
    var batch = Batch()
    for kind in refused { batch.add(Attempt(.connectionsRefused(kind))) }
    do throws(AuditError) { _ = try serving.commit(batch) } catch { stopServing(serving, error) }
  }
}

extension SocketKind {
  fileprivate var recorded: RefusedConnections.Socket {
    switch self {
    case .services: .services
    case .operators: .operators
    }
  }
}
