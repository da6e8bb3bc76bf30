internal import Audit
internal import KeyStore
internal import Operations
internal import SecretMemory
internal import Wire

/// An unlocked key store with its open log: what there is between an unlocking and the next locking.
final class Serving: Sendable {
  let keys: KeyStore
  let log: AuditLog
  private let base: OperationContext
  /// Held for reading by commits, for writing by the end, so that the last counts cover exactly the last records.
  private let ending = ReadWriteLock()

  init(_ context: OperationContext, _ log: AuditLog) { (keys, self.log, base) = (context.keys, log, context) }

  /// What operations work with under these rules, on this connection.
  func context(_ rules: Rules, _ handles: HandleTable) -> OperationContext {
    var context = base
    (context.freshness, context.standInKeys, context.handles) = (rules.freshness, rules.standInKeys, handles)
    return context
  }

  /// Makes records durable, and then counts one use of each of these keys.
  func commit(_ batch: consuming Batch, using used: [KeyID] = []) throws(AuditError) -> Receipt {
    ending.lockForReading()
    defer { ending.unlock() }
    let receipt = try log.commit(batch)
    let now = base.clock()
    for key in used { keys.recordUse(of: key, at: now) }
    return receipt
  }

  /// Writes the counts of uses and closes the log; commits that come later fail.
  func end() throws(AuditError) {
    ending.lockForWriting()
    defer { ending.unlock() }
    // The counts can be had again from the log, so failing to write them loses nothing.
    try? keys.checkpointCounters(anchor: base.anchor())
    try log.close()
  }
}
