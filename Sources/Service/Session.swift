import Audit
import Format
import Host
import KeyStore
import Operations

/// An unlocked key store with its open log; exists from an unlocking to the next locking.
final class Session: @unchecked Sendable {
  let daemon: DaemonContext
  let log: AuditLog
  let keyEnds = KeyEndWatch()
  /// By how many microseconds the wall clock was set since the last commit.
  private let clockStep: @Sendable () -> Int64?
  private let countsInterval: UInt64
  let kept: KeptCheckpoint
  private let notes: RecollectionNotes
  private let owing = Lock()
  /// Changes of keys that the log did not take; guarded by `owing`.
  private var owed: [Finding.Change] = []
  /// Whether the person on call knows that the log is full; guarded by `owing`.
  private var isFullTold = false
  private let counting = Lock()
  /// How many records the log has; guarded by `counting`.
  private var recorded: UInt64
  /// From how many on the use counts must be written before the next commit; guarded by `counting`.
  private var nextSaving: UInt64

  /// - Parameter countsInterval: how many records lie between two savings of the use counts, at
  ///   least.
  init(
    _ daemon: DaemonContext, _ log: AuditLog, _ kept: KeptCheckpoint, _ notes: RecollectionNotes,
    countsInterval: UInt64,
    clockStep: @escaping @Sendable () -> Int64?
  ) {
    self.daemon = daemon
    self.log = log
    self.kept = kept
    self.notes = notes
    self.countsInterval = countsInterval
    self.clockStep = clockStep
    recorded = log.head.size
    nextSaving = recorded + countsInterval
  }

  /// Whether the person on call is to be told that the log is full, or takes records again: by
  /// whoever finds it first.
  func tells(isFull: Bool) -> Bool {
    owing.withLock {
      defer { isFullTold = isFull }
      return isFullTold != isFull
    }
  }

  var keys: KeyStore { daemon.keys }

  /// The log's present size and root.
  var anchor: AuditAnchor { daemon.anchor() }

  /// What follows from a batch once its records are durable. It belongs to the batch's thread, and
  /// then to the one that settles it.
  final class Uses: @unchecked Sendable {
    /// Keys whose material was used.
    var keys: [KeyID] = []
    var changes: [Finding.Change]
    private var reservations: Reservations? = Reservations()

    init(changes: [Finding.Change] = []) { self.changes = changes }

    /// Takes over what the request with the record at `place` holds.
    func add(_ request: inout Reservations, at place: Int) {
      reservations?.add(&request, at: place)
    }

    fileprivate func keep(_ receipt: borrowing Receipt) { reservations.take()?.keep(receipt) }
    fileprivate func giveBack() { reservations = nil }
  }

  /// Makes records durable, and then counts one use of each of these keys and keeps what was
  /// reserved, before the log goes on.
  ///
  /// - Parameters:
  ///   - isLast: whether the log is closed next.
  ///   - settled: called as `AuditLog.commit` does.
  func commit(
    _ batch: consuming Batch, using used: Uses = Uses(), isLast: Bool = false,
    then settled: @escaping @Sendable (consuming AuditLog.Settlement) -> Void
  ) {
    if takeCountsDue() { saveCounts() }
    // After the requests' attempts, because their sequences are counted from the batch's first
    // record.
    if let microseconds = clockStep() { batch.add(Attempt(.clockStep(microseconds: microseconds))) }
    log.commit(batch, isLast: isLast) { [self] settlement in
      switch consume settlement {
      case .success(let receipt):
        kept.noteCommit()
        let now = daemon.clock()
        if !used.keys.isEmpty { keys.recordUses(of: used.keys, at: now) }
        if !used.changes.isEmpty { keys.noteRecorded(used.changes.map(UnrecordedChange.Kind.init)) }
        used.keep(receipt)
        counting.withLock { recorded = receipt.firstSequence + UInt64(receipt.count) }
        settled(.success(receipt))
      case .failure(let error):
        // No reply leaves.
        used.giveBack()
        if !used.changes.isEmpty { owing.withLock { owed += used.changes } }
        settled(.failure(error))
      }
    }
  }

  /// Records, once the log takes records again, what requests changed while it took none.
  /// [KS-UNRECORDED]
  func recordOwed() {
    let changes = owing.withLock {
      defer { owed = [] }
      return owed
    }
    var batch = Batch()
    for change in changes {
      batch.add(
        Attempt(
          .late(
            .key(change.kind, change.key), asked: change.persons.asked,
            approved: change.persons.approved)))
    }
    guard batch.count > 0 else { return }
    commit(batch, using: Uses(changes: changes)) { _ in }
  }

  /// As above, but waits until the records are durable; counts no uses.
  func commit(_ batch: consuming Batch, isLast: Bool = false) throws(AuditError) -> Receipt {
    let settlement = Handover<AuditLog.Settlement>()
    commit(batch, isLast: isLast) { settlement.give($0) }
    return try settlement.take().get()
  }

  private func takeCountsDue() -> Bool {
    counting.withLock {
      guard recorded >= nextSaving else { return false }
      nextSaving = .max
      return true
    }
  }

  /// What is written grows with the keys and openings, so that a record's share of it stays the
  /// same: then a start reads more of the log.
  private func saveCounts() {
    let written = Self.saveCounts(keys, log, notes)
    let interval = min(max(countsInterval, UInt64(written / 2)), 8 * countsInterval)
    counting.withLock { nextSaving = recorded + interval }
  }

  /// Closes the log, then writes the final use counts; later commits fail.
  func end() throws(AuditError) {
    // The stop record has the new time, so no start would notice. The log says itself if it cannot
    // be written any more.
    if let microseconds = clockStep() {
      _ = try? log.commit(Batch(Attempt(.clockStep(microseconds: microseconds))), isLast: true)
    }
    defer { Self.saveCounts(keys, anchor) }
    try log.close()
    notes.write(notes.taken(at: anchor))
    do throws(DiskError) { try kept.end() } catch { throw .disk(error) }
  }

  /// Saves the use counts, the replay guard and the quotas while the log writes nothing.
  ///
  /// - Returns: of how many keys, openings and quotas.
  @discardableResult static func saveCounts(
    _ keys: KeyStore, _ log: AuditLog, _ notes: RecollectionNotes
  ) -> Int {
    let known = log.pause {
      saveCounts(keys, log.anchor)
      return notes.taken(at: log.anchor)
    }
    notes.write(known)
    return keys.records.count + known.count
  }

  /// Only while nothing is committed. Ignores errors, since the log still has the uses.
  static func saveCounts(_ keys: KeyStore, _ anchor: AuditAnchor) {
    try? keys.checkpointCounters(anchor: anchor)
  }
}

extension AuditLog {
  /// The log's present size and root, both of one head.
  var anchor: AuditAnchor {
    let head = head
    return AuditAnchor(size: head.size, root: head.root)
  }
}
