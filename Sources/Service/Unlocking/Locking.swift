import Audit
import Format
import Host
import KeyStore
import Operations
import Policy

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
