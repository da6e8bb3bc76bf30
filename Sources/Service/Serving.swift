internal import Audit
internal import CryptoBackend
internal import KeyStore
internal import Operations
internal import SecretMemory
internal import Storage
internal import Wire

/// An unlocked key store with its open log: what there is between an unlocking and the next locking.
final class Serving: Sendable {
  let keys: KeyStore
  let log: AuditLog
  let keyEnds = KeyEndWatch()
  private let base: OperationContext
  /// How far the wall clock was set since the last commit, in microseconds.
  private let clockStep: @Sendable () -> Int64?
  private let countsInterval: UInt64
  let kept: KeptCheckpoint
  private let notes: RecollectionNotes
  private let counting = Lock()
  /// Whether the counts of uses are to be written before the next commit; guarded by `counting`.
  nonisolated(unsafe) private var areCountsDue = false

  /// - Parameter countsInterval: records between two savings of the counts of uses.
  init(
    _ context: OperationContext, _ log: AuditLog, _ kept: KeptCheckpoint, _ notes: RecollectionNotes, countsInterval: UInt64,
    clockStep: @escaping @Sendable () -> Int64?
  ) {
    (keys, self.log, self.kept, self.notes, self.countsInterval, self.clockStep) = (context.keys, log, kept, notes, countsInterval, clockStep)
    var base = context
    base.saveCounts = { [keys, anchor = base.anchor] in
      let known = log.pause {
        Self.saveCounts(keys, anchor())
        return notes.taken(at: anchor())
      }
      notes.write(known)
    }
    self.base = base
  }

  var pending: PendingRequests { base.pending }

  /// Where the log stands.
  var anchor: AuditAnchor { base.anchor() }

  /// Names a service's request without telling what may be guessed.
  func requestDigest(_ body: Span<UInt8>) throws(CryptoError) -> Digest256 { try base.digests.digest(ofRequest: body) }

  /// What operations work with under these rules, on this connection.
  func context(_ rules: Rules, _ handles: HandleTable, approvedBy: UInt32?) -> OperationContext {
    var context = base
    context.approvedBy = approvedBy
    (context.policy, context.freshness, context.standInKeys, context.handles) = (rules.policy, rules.freshness, rules.standInKeys, handles)
    context.oldBlocks = rules.oldBlocks
    return context
  }

  /// Makes records durable, and then counts one use of each of these keys before the log goes on.
  ///
  /// - Parameters:
  ///   - isLast: whether the log is closed next.
  ///   - settled: called as the log calls it.
  func commit(
    _ batch: consuming Batch, using used: [KeyID] = [], isLast: Bool = false, then settled: @escaping @Sendable (consuming AuditLog.Settlement) -> Void
  ) {
    if takeCountsDue() { base.saveCounts() }
    // Behind the requests' attempts, whose sequences are counted from the batch's first.
    if let microseconds = clockStep() { batch.add(Attempt(.clockStep(microseconds: microseconds))) }
    log.commit(batch, isLast: isLast) { [self] settlement in
      switch consume settlement {
      case .success(let receipt):
        kept.noteCommit()
        let now = base.clock()
        for key in used { keys.recordUse(of: key, at: now) }
        let next = receipt.firstSequence + UInt64(receipt.count)
        if receipt.firstSequence / countsInterval != next / countsInterval { counting.withLock { unsafe areCountsDue = true } }
        settled(.success(receipt))
      case .failure(let error): settled(.failure(error))
      }
    }
  }

  /// Returns when the records are durable for which no key was used.
  func commit(_ batch: consuming Batch, isLast: Bool = false) throws(AuditError) -> Receipt {
    let settlement = Handover<AuditLog.Settlement>()
    commit(batch, isLast: isLast) { settlement.give($0) }
    return try settlement.take().get()
  }

  private func takeCountsDue() -> Bool {
    counting.withLock {
      defer { unsafe areCountsDue = false }
      return unsafe areCountsDue
    }
  }

  /// Closes the log, and writes the counts of uses that its records tell of; commits that come later fail.
  func end() throws(AuditError) {
    defer { Self.saveCounts(keys, base.anchor()) }
    try log.close()
    notes.write(notes.taken(at: base.anchor()))
    do throws(DiskError) { try kept.end() } catch { throw .disk(error) }
  }

  /// Only while nothing is committed. They can be had again from the log, so failing loses nothing.
  private static func saveCounts(_ keys: KeyStore, _ anchor: AuditAnchor) { try? keys.checkpointCounters(anchor: anchor) }
}
