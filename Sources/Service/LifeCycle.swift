import Audit
import Format
import Host
import KeyStore
import Operations
import Policy

/// Whether the key store is open, and every way from one state to another.
///
/// Locked to serving and, through locking, back; serving to audit-unavailable; locking to failed or
/// audit-unavailable; any to stopped.
final class LifeCycle: @unchecked Sendable {
  enum State {
    case locked(LockedKeyStore)
    case serving(Session)
    /// Takes no more records, but has not dropped its keys yet.
    case locking
    /// The log could not be written; nothing is served until the daemon is restarted.
    case auditUnavailable(NoteVerifier)
    /// The key store could not be reopened after it was locked.
    case failed
    /// Ended in order: the daemon is about to exit.
    case stopped
  }

  private let lock = Lock()
  /// Guarded by `lock`.
  private var state: State

  init(_ store: LockedKeyStore) { state = .locked(store) }

  var current: State { lock.withLock { state } }

  func serve(_ session: Session) { enter(.serving(session)) }

  func beginLocking() { enter(.locking) }

  func endLocking(_ store: LockedKeyStore) { enter(.locked(store)) }

  func failLocking() { enter(.failed) }

  /// The log of a store that is being locked could not be closed.
  func failLocking(_ session: Session) { enter(.auditUnavailable(session.log.verifier)) }

  /// The log could not be written.
  ///
  /// - Returns: false if that store was closed meanwhile; what is open now is not affected.
  func failAudit(of failed: Session) -> Bool {
    lock.withLock {
      guard case .serving(let session) = state, session === failed else { return false }
      state = .auditUnavailable(failed.log.verifier)
      return true
    }
  }

  func stop() { enter(.stopped) }

  private func enter(_ next: State) { lock.withLock { state = next } }
}

extension LifeCycle.State {
  /// The status for requests that need the key store or the log while they are not available.
  var unservedStatus: Status {
    switch self {
    // A request that began while the store was locked may end after it was opened again.
    case .serving(let session): session.log.isFull ? .auditUnavailable : .locked
    case .locked, .locking, .stopped: .locked
    case .auditUnavailable: .auditUnavailable
    case .failed: .internal
    }
  }

  /// As a status report has it.
  var name: String {
    switch self {
    case .locked, .locking, .stopped: "locked"
    case .serving(let session): session.log.isFull ? "audit-unavailable" : "serving"
    case .auditUnavailable: "audit-unavailable"
    case .failed: "failed"
    }
  }
}

extension Service {
  /// Records the operator's request, closes the log and drops the keys, including those that
  /// running requests hold.
  ///
  /// - Returns: the audit sequence of the request.
  func lock(for facts: RequestFacts, _ grant: consuming Grant) throws(UnlockError) -> UInt64 {
    transition.lock()
    defer { transition.unlock() }
    guard let session = unlocked else {
      wipeShares()
      throw .notLocked
    }
    var batch = Batch(Attempt(facts, allowed: grant, .done(released: [])))
    batch.add(Attempt(.keyStoreLocked))
    let receipt: Receipt
    do throws(AuditError) { receipt = try session.commit(batch, isLast: true) } catch {
      throw .audit(error)
    }
    try giveUp(session)
    settings.report(.locked)
    return receipt.firstSequence
  }

  /// Ends the service in order: writes the log's stop record, and the use counts to the manifest.
  ///
  /// - Returns: false if the log has failed, before or now.
  package func stop() -> Bool {
    recordRefusedConnections()
    transition.lock()
    defer { transition.unlock() }
    unrecorded.save()
    switch life.current {
    case .locked, .locking, .failed, .stopped: return true
    case .auditUnavailable: return false
    case .serving(let session):
      life.stop()
      handles.wipeAll()
      refusals.record(for: session)
      do throws(AuditError) { try session.end() } catch { return false }
      return true
    }
  }

  private func giveUp(_ session: Session) throws(UnlockError) {
    // Requests still under way find the log closed, and answer that the store is locked.
    life.beginLocking()
    session.keys.close()
    refusals.record(for: session)
    defer { handles.wipeAll() }
    do throws(AuditError) { try session.end() } catch {
      life.failLocking(session)
      settings.report(.auditUnavailable(error))
      throw .audit(error)
    }
    do throws(KeyStoreError) { life.endLocking(try session.keys.locked()) } catch {
      life.failLocking()
      throw .store(error)
    }
  }
}
