internal import Audit
internal import Policy
internal import SecretMemory

/// Bounds what refusals cost the log: one by one within a caller's budget, beyond it one counted record a second.
///
/// Whoever is refused beyond the budget is answered when the counted record is durable. So no answer is unaccounted for after a crash, and a
/// flood waits for itself.
final class RefusalTally: @unchecked Sendable {
  /// Who waits for a counted record.
  struct Waiter: Sendable {
    let recorded: @Sendable (borrowing Receipt) -> Void
    let failed: @Sendable (AuditError) -> Void
  }

  private struct Pending: Sendable {
    let caller: Caller
    var refusals: CountedRefusals
    var waiters: [Waiter]
  }

  private let limiter = RateLimiter()
  /// Refusals of one caller that have a record each; nil for all of them.
  private let budget: Rate?
  private let after: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void
  private let lock = Lock()
  /// By account, whose subordinate uids count as it; guarded by `lock`.
  private var pending: [UInt32: Pending] = [:]

  /// In nanoseconds.
  private static let interval: Int64 = 1_000_000_000

  init(budget: Rate?, after: @escaping @Sendable (Int64, @escaping @Sendable () -> Void) -> Void) { (self.budget, self.after) = (budget, after) }

  /// Takes one refusal of the caller's budget; false where that is used up.
  func takesOne(_ caller: Caller, at now: MonotonicTime) -> Bool {
    guard let budget else { return true }
    return limiter.take(grant: "", uid: caller.person, rate: budget, now: now)
  }

  /// Has refusals counted in the caller's next record.
  func add(_ refusals: CountedRefusals, of caller: Caller, for serving: Serving, _ waiter: Waiter) {
    let isFirst = lock.withLock {
      let isFirst = pending.isEmpty
      if pending[caller.person] == nil {
        pending[caller.person] = Pending(caller: caller, refusals: refusals, waiters: [waiter])
      } else {
        pending[caller.person]?.refusals.add(refusals)
        pending[caller.person]?.waiters.append(waiter)
      }
      return isFirst
    }
    if isFirst { after(Self.interval) { [weak self] in self?.record(for: serving) } }
  }

  /// Writes a record for each caller of whom refusals wait.
  func record(for serving: Serving) {
    let due = lock.withLock {
      defer { pending = [:] }
      return pending.values
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
