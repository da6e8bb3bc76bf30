// Service: one request from bytes to receipt, and the daemon locked or open.
// It knows the order of checks, which record a request leaves and when a reply may go out.
// It must not know sockets, and gets the clock and the disk from its caller.
// Called by Server, with the bytes of a connection.

import Audit
import Format
package import Host
package import KeyStore
package import Operations
package import Policy

/// Kist without sockets: turns the bytes of requests into replies whose records are durable.
///
/// It is locked until `unlock` opens a key store; any number of threads may use it.
package final class Service: @unchecked Sendable {
  package let settings: ServiceSettings
  let rules: RulesInForce
  let limits = UseLimits()
  let life: LifeCycle
  /// Held while a key store is opened or closed, so that two operators cannot do that at once, and
  /// while new rules are put in force.
  let transition = Lock()
  let started: Timestamp
  let handles: HandleTables
  let tallies: Tallies
  /// Refusals that are in no record yet.
  let unrecorded: RefusalCount
  let refusedConnections = RefusedConnectionTally()
  let refusals: RefusalTally
  /// Guarded by `transition`.
  let quorum: Quorum

  package init(_ store: LockedKeyStore, rules: Rules, settings given: ServiceSettings) {
    let tallies = Tallies()
    var settings = given
    settings.audit.noteCommit = { count in
      tallies.own.change { $0.commits.note(UInt64(count)) }
    }
    life = LifeCycle(store)
    self.rules = RulesInForce(rules)
    self.settings = settings
    self.tallies = tallies
    started = settings.clock()
    unrecorded = RefusalCount(in: settings.state, after: settings.after)
    refusals = RefusalTally(budget: settings.configuration.limits.refusals, after: settings.after)
    quorum = Quorum(window: settings.configuration.shareWindow.nanoseconds)
    handles = HandleTables(settings.configuration.limits, clock: settings.monotonicClock)
  }

  /// A table for the secrets of a new connection, with the connection's lifetime.
  package func makeHandles() -> HandleTable { handles.make() }

  /// Whether the policy in force lets this caller lock the key store.
  package func mayLock(_ caller: Caller) -> Bool {
    switch rules.snapshot.policy.covering(caller, .lock, key: .none).ruling(
      at: settings.clock())
    {
    case .allowed: true
    case .denied: false
    }
  }

  /// Begins one read batch of a connection.
  ///
  /// - Parameters:
  ///   - arrived: when its frames had been read, on the monotonic clock; nil for now.
  ///   - waiting: runs what waits for others, while other connections are served.
  package func exchange(
    with caller: Caller, on socket: SocketKind, handles: HandleTable = .none,
    memory: ConnectionMemory = ConnectionMemory(),
    counts: ConnectionCounts? = nil, arrived: Int64? = nil,
    waiting: @escaping @Sendable (() -> Void) -> Void = { $0() }
  ) throws(SecretMemoryError) -> RequestBatch {
    try RequestBatch(
      self, caller, on: socket, handles, memory, counts ?? tallies.own, arrived: arrived,
      waiting: waiting)
  }

  /// The open store and log; nil while nothing is served: before an unlocking, and while the log's
  /// disk is full.
  var session: Session? {
    guard let session = unlocked, takesRecords(session) else { return nil }
    return session
  }

  /// The open store and log, whether or not the log takes records.
  var unlocked: Session? {
    guard case .serving(let session) = life.current else { return nil }
    return session
  }

  /// Whether the log takes records; tries to resume a log that was full.
  private func takesRecords(_ session: Session) -> Bool {
    guard session.log.isFull else { return true }
    guard session.log.resume() else { return false }
    session.recordOwed()
    if session.tells(isFull: false) { settings.report(.auditResumed) }
    return true
  }

  /// Stops serving: while the disk is full, or for good.
  func stopServing(_ failed: Session, _ error: AuditError) {
    guard error == .full else { return stopServingForGood(failed, error) }
    // Meanwhile it may take records again.
    if failed.log.isFull, failed.tells(isFull: true) { settings.report(.auditFull) }
  }

  /// Stops serving for good: a failed write is never tried again, because nobody knows what the
  /// disk has.
  ///
  /// - Parameter failed: the store and log whose write failed; if they were closed meanwhile, those
  ///   open now are not affected.
  private func stopServingForGood(_ failed: Session, _ error: AuditError) {
    // This error may only say that the write failed; the log knows why.
    if life.failAudit(of: failed) {
      settings.report(.auditUnavailable(failed.log.failure ?? error))
    }
  }

  /// Now, as policy wants to know it.
  var moment: Moment { Moment(settings.clock(), settings.monotonicClock()) }
}
