package import Audit
import Format
import Host
import Operations
package import Policy

/// Rate-limits the records of refusals: single records within a caller's budget, beyond it one
/// counting record a second.
///
/// A caller beyond the budget is answered when the counting record is durable. So after a crash no
/// answer lacks its record, and a flood slows only itself down.
final class RefusalTally: @unchecked Sendable {
  /// A batch that waits for a counting record.
  struct Waiter: Sendable {
    let recorded: @Sendable (borrowing Receipt) -> Void
    let failed: @Sendable (AuditError) -> Void
  }

  /// One caller in one session: from an unlocking to the next locking.
  private struct Key: Hashable {
    let session: ObjectIdentifier
    /// The account, which includes its subordinate uids.
    let person: UInt32
  }

  private struct Pending: Sendable {
    let caller: Caller
    var refusals: CountedRefusals
    var waiters: [Waiter]
  }

  private let limiter = RateLimiter()
  /// How many refusals of one caller have records of their own.
  private let budget: Rate
  private let after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void
  private let lock = Lock()
  /// Guarded by `lock`. The timer of a session keeps its `Session` alive until its refusals are
  /// recorded.
  private var pending: [Key: Pending] = [:]

  /// In nanoseconds.
  private static let interval: Int64 = 1_000_000_000

  init(budget: Rate, after: @escaping @Sendable (Int64, @escaping @Sendable () -> Void) -> Void) {
    self.budget = budget
    self.after = after
  }

  /// Takes one refusal from the caller's budget; false if that is used up.
  func takesOne(_ caller: Caller, at now: MonotonicTime) -> Bool {
    limiter.take(grant: "", uid: caller.person, rate: budget, now: now)
  }

  /// Adds refusals to the caller's next counting record.
  func add(_ refusals: CountedRefusals, of caller: Caller, for session: Session, _ waiter: Waiter) {
    let key = Key(session: ObjectIdentifier(session), person: caller.person)
    let isFirst = lock.withLock {
      let isFirst = !pending.keys.contains { $0.session == key.session }
      if pending[key] == nil {
        pending[key] = Pending(caller: caller, refusals: refusals, waiters: [waiter])
      } else {
        pending[key]?.refusals.add(refusals)
        pending[key]?.waiters.append(waiter)
      }
      return isFirst
    }
    if isFirst { after(Self.interval) { [weak self] in self?.record(for: session) } }
  }

  /// Writes a counting record for each caller with pending refusals of this session, and no other:
  /// a log that was closed since would fail them all.
  func record(for session: Session) {
    let id = ObjectIdentifier(session)
    let due = lock.withLock {
      defer { pending = pending.filter { $0.key.session != id } }
      return pending.filter { $0.key.session == id }.values
    }
    for pending in due {
      session.commit(Batch(Attempt(pending.refusals, of: pending.caller))) { settlement in
        switch consume settlement {
        case .success(let receipt): for waiter in pending.waiters { waiter.recorded(receipt) }
        case .failure(let error): for waiter in pending.waiters { waiter.failed(error) }
        }
      }
    }
  }
}

/// Counts the requests refused while there was no log to record them.
///
/// The count is kept in the state directory: a stop loses none of it, a kill that of the last
/// second. It is not authenticated, since there is no key while the store is locked.
final class RefusalCount: @unchecked Sendable {
  private let state: StateDirectory
  private let after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var count: UInt64
  private var isDue = false
  /// Held while the file is written, so that an older count never replaces a newer one.
  private let writing = Lock()

  /// In nanoseconds.
  private static let interval: Int64 = 1_000_000_000

  /// Continues the count in `state`; an unreadable file counts as one refusal, since something was
  /// there.
  init(
    in state: StateDirectory,
    after: @escaping @Sendable (Int64, @escaping @Sendable () -> Void) -> Void
  ) {
    self.state = state
    self.after = after
    do throws(StorageError) {
      count =
        try state.read(.refusals).map { UInt64(String(decoding: $0, as: UTF8.self)) ?? 1 } ?? 0
    } catch { count = 1 }
  }

  func add(_ refused: UInt64 = 1) {
    let isFirst = lock.withLock {
      count += refused
      defer { isDue = true }
      return !isDue
    }
    if isFirst { after(Self.interval) { [weak self] in self?.save() } }
  }

  var value: UInt64 { lock.withLock { count } }

  /// Subtracts what is now in the log; a crash just before this records it twice rather than never.
  func subtract(_ recorded: UInt64) {
    guard recorded > 0 else { return }
    lock.withLock { count -= recorded }
    save()
  }

  /// Writes the count; on failure it stays in memory and is written with the next refusal.
  func save() {
    try? writing.withLock { () throws(DiskError) in
      let count = lock.withLock {
        isDue = false
        return self.count
      }
      guard count > 0 else { return try state.remove(.refusals) }
      try state.write(.refusals, Array(String(count).utf8))
    }
  }
}

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
      if refused[counted]?.add(at: time) == nil {
        refused[counted] = RefusedConnections(counted, at: time)
      }
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
  /// Counts a connection that is not served. The count is recorded and reported a second later, so
  /// that a flood leaves one record a second for each user.
  ///
  /// - Parameter uid: the user, if known.
  package func refuseConnection(
    of uid: UInt32?, on socket: SocketKind, _ reason: RefusedConnections.Reason
  ) {
    if reason == .full { tallies.own.note(.connections) }
    guard
      refusedConnections.add(
        RefusedConnections.Kind(socket, reason, uid: uid), at: settings.clock())
    else { return }
    settings.after(1_000_000_000) { [weak self] in self?.recordRefusedConnections() }
  }

  /// Records the counts; without a log, adds them to the count for the next unlocking's record.
  func recordRefusedConnections() {
    let refused = refusedConnections.take()
    guard !refused.isEmpty else { return }
    for kind in refused { settings.report(.connectionsRefused(kind)) }
    guard let session else { return unrecorded.add(refused.reduce(0) { $0 + $1.count }) }
    var batch = Batch()
    for kind in refused { batch.add(Attempt(.connectionsRefused(kind))) }
    do throws(AuditError) { _ = try session.commit(batch) } catch { stopServing(session, error) }
  }
}
