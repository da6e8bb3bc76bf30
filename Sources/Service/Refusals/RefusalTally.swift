internal import Audit
internal import Host
internal import Policy

/// Rate-limits the records of refusals: single records within a caller's budget, beyond it one counting record a second.
///
/// A caller beyond the budget is answered when the counting record is durable. So after a crash no answer lacks its record, and
/// a flood slows only itself down.
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
  /// How many refusals of one caller have records of their own; nil for all.
  private let budget: Rate?
  private let after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void
  private let lock = Lock()
  /// Guarded by `lock`. The timer of a session keeps its `Serving` alive until its refusals are recorded.
  private var pending: [Key: Pending] = [:]

  /// In nanoseconds.
  private static let interval: Int64 = 1_000_000_000

  init(budget: Rate?, after: @escaping @Sendable (Int64, @escaping @Sendable () -> Void) -> Void) { (self.budget, self.after) = (budget, after) }

  /// Takes one refusal from the caller's budget; false if that is used up.
  func takesOne(_ caller: Caller, at now: MonotonicTime) -> Bool {
    guard let budget else { return true }
    return limiter.take(grant: "", uid: caller.person, rate: budget, now: now)
  }

  /// Adds refusals to the caller's next counting record.
  func add(_ refusals: CountedRefusals, of caller: Caller, for serving: Serving, _ waiter: Waiter) {
    let key = Key(session: ObjectIdentifier(serving), person: caller.person)
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
    if isFirst { after(Self.interval) { [weak self] in self?.record(for: serving) } }
  }

  /// Writes a counting record for each caller with pending refusals of this session, and no other: a log that was closed since
  /// would fail them all.
  func record(for serving: Serving) {
    let session = ObjectIdentifier(serving)
    let due = lock.withLock {
      defer { pending = pending.filter { $0.key.session != session } }
      return pending.filter { $0.key.session == session }.values
    }
    for pending in due {
      serving.commit(Batch(Attempt(pending.refusals, of: pending.caller))) { settlement in
        switch consume settlement {
        case .success(let receipt): for waiter in pending.waiters { waiter.recorded(receipt) }
        case .failure(let error): for waiter in pending.waiters { waiter.failed(error) }
        }
      }
    }
  }
}
