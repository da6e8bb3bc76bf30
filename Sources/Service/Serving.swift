internal import Audit
internal import CryptoBackend
internal import KeyStore
internal import Operations
internal import SecretMemory
internal import Wire

/// An unlocked key store with its open log: what there is between an unlocking and the next locking.
final class Serving: Sendable {
  let keys: KeyStore
  let log: AuditLog
  let keyEnds = KeyEndWatch()
  private let base: OperationContext
  /// How far the wall clock was set since the last commit, in microseconds.
  private let clockStep: @Sendable () -> Int64?
  /// Held for reading by commits, for writing by the end, so that the last counts cover exactly the last records.
  private let ending = ReadWriteLock()

  init(_ context: OperationContext, _ log: AuditLog, clockStep: @escaping @Sendable () -> Int64?) {
    (keys, self.log, base) = (context.keys, log, context)
    self.clockStep = clockStep
  }

  var pending: PendingRequests { base.pending }

  /// Names a service's request without telling what may be guessed.
  func requestDigest(_ body: Span<UInt8>) throws(CryptoError) -> Digest256 { try base.digests.digest(ofRequest: body) }

  /// What operations work with under these rules, on this connection.
  func context(_ rules: Rules, _ handles: HandleTable, approvedBy: UInt32?) -> OperationContext {
    var context = base
    context.approvedBy = approvedBy
    (context.policy, context.freshness, context.standInKeys, context.handles) = (rules.policy, rules.freshness, rules.standInKeys, handles)
    context.oldBlocks = rules.oldBlocks
    context.saveCounts = { self.saveCounts() }
    return context
  }

  /// Makes records durable, and then counts one use of each of these keys.
  ///
  /// - Parameter isLast: whether the log is closed next.
  func commit(_ batch: consuming Batch, using used: [KeyID] = [], isLast: Bool = false) throws(AuditError) -> Receipt {
    let receipt = try commitAndCount(batch, used, isLast)
    if receipt.firstSequence / Self.countsInterval != (receipt.firstSequence + UInt64(receipt.count)) / Self.countsInterval { saveCounts() }
    return receipt
  }

  private func commitAndCount(_ batch: consuming Batch, _ used: [KeyID], _ isLast: Bool) throws(AuditError) -> Receipt {
    ending.lockForReading()
    defer { ending.unlock() }
    // Behind the requests', whose sequences are counted from the batch's first.
    if let microseconds = clockStep() { batch.add(Attempt(.clockStep(microseconds: microseconds))) }
    let receipt = try log.commit(batch, isLast: isLast)
    let now = base.clock()
    for key in used { keys.recordUse(of: key, at: now) }
    return receipt
  }

  /// Records between two savings of the counts: what a start after a crash has to read at the most.
  private static let countsInterval: UInt64 = 1 << 16

  /// Writes the counts of uses while nothing is committed; they can be had again from the log, so failing loses nothing.
  private func saveCounts() {
    ending.lockForWriting()
    defer { ending.unlock() }
    try? keys.checkpointCounters(anchor: base.anchor())
  }

  /// Writes the counts of uses and closes the log; commits that come later fail.
  func end() throws(AuditError) {
    ending.lockForWriting()
    defer { ending.unlock() }
    try? keys.checkpointCounters(anchor: base.anchor())
    try log.close()
  }
}
