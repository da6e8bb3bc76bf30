internal import Audit
internal import Encoding
internal import KeyStore
internal import Operations
internal import Policy
internal import Storage
internal import Wire

/// What only the log remembers, read back at an unlocking.
struct Recollection {
  let replays: ReplayGuard
  /// What became of the store by the log, after the manifest was written.
  let logged: LoggedStore
  /// Which of the records that were wanted there were.
  let extent: LogReader.Extent
}

extension Service {
  /// Reads back which tokens were opened, how far quotas are used up, and the uses of keys.
  ///
  /// - Parameter isForgetful: whether the log that knew is lost.
  func recall(_ keys: KeyStore, _ log: AuditLog, isForgetful: Bool) throws(AuditError) -> Recollection {
    let (now, rules) = (settings.clock(), rules.snapshot)
    // A clock that is ahead would have us believe that everything was long ago.
    let newest = min(now, log.newestBefore ?? now)
    let (logged, uses) = try keys.restoreUses(from: log.reader) { noteReading($0) }
    if !isForgetful, let replays = try resume(keys, log.reader, at: now) { return Recollection(replays: replays, logged: logged, extent: uses) }
    let replays = try restoreReplays(from: log.reader, at: now, newest: newest, window: rules.freshness.longest)
    let quotas = try limits.restoreQuotas(of: rules.policy.quotas, from: log.reader, at: now, newest: newest) { noteReading($0) }
    // A log that is lost, as the configuration says, begins anew, and with it the quotas.
    if isForgetful { replays.guarded.distrust(before: now) }
    return Recollection(replays: replays.guarded, logged: logged, extent: replays.extent.narrower(uses).narrower(quotas))
  }

  /// Goes on from what was written down while the log had fewer records; nil where that is absent, forged, of another policy or not of
  /// this log, or records behind it are missing: then the log is read as if it were not there.
  private func resume(_ keys: KeyStore, _ log: LogReader, at now: Timestamp) throws(AuditError) -> ReplayGuard? {
    let rules = rules.snapshot
    let bytes: [UInt8]?
    do throws(StorageError) { bytes = try settings.state.read(.recollection) } catch { return nil }
    // A floor that is ahead comes of a clock that was, and would refuse every token.
    guard let bytes, let file = RecollectionFile(bytes, keys), file.policy == rules.policyHash,
      file.openings.floor <= now.seconds + Int64(rules.freshness.longest), try log.has(TreeHead(size: file.anchor.size, root: file.anchor.root))
    else { return nil }
    let replays = ReplayGuard(window: rules.freshness.longest, capacity: settings.replayCapacity, file.openings, now: now)
    let (counted, quotas) = (UseLimits(), rules.policy.quotas)
    counted.restoreQuotas(file.quotas)
    let extent = try log.forEachRecord(from: file.anchor.size) { record, _ in
      noteReading(record)
      if let transaction = record.openedTransaction { replays.restore(transaction, openedAt: record.time, now: now) }
      counted.count(record, of: quotas, at: now)
      return true
    }
    guard extent == .all else { return nil }
    limits.raiseQuotas(to: counted)
    return replays
  }

  /// Has the service manager wait on while much is read.
  private func noteReading(_ record: Record) {
    if record.sequence.isMultiple(of: 1 << 16) { settings.isReading() }
  }

  private func restoreReplays(
    from log: LogReader, at now: Timestamp, newest: Timestamp, window: UInt32
  ) throws(AuditError) -> (guarded: ReplayGuard, extent: LogReader.Extent) {
    let horizon = ReplayHorizon.start(window: window, now: newest)
    let replays = ReplayGuard(window: window, capacity: settings.replayCapacity, complete: horizon)
    let extent = try log.forEachRecord(since: horizon) { record, _ in
      noteReading(record)
      if record.followsLostLog { replays.distrust(before: min(record.time, now)) }
      if let transaction = record.openedTransaction { replays.restore(transaction, openedAt: record.time, now: now) }
      return true
    }
    if case .from(_, let oldest) = extent { replays.distrust(before: oldest) }
    return (replays, extent)
  }

  /// Puts on the record, and reports, that records were missing.
  func report(_ extent: LogReader.Extent, _ serving: Serving) throws(UnlockError) {
    guard case .from(let oldest, let since) = extent else { return }
    do throws(AuditError) { _ = try serving.commit(Batch(Attempt(.recordsUnread(oldest: oldest, since: since)))) } catch { throw .audit(error) }
    settings.report(.recordsUnread(since: since))
  }
}

extension Record {
  /// Whether the log before it is lost, with what it knew.
  fileprivate var followsLostLog: Bool {
    operation == "key-store-restored" && event.contains { $0.name == "lost" && $0.value != .integer(0) }
  }

  /// The transaction that this record says was opened, or nil.
  fileprivate var openedTransaction: KeyedDigest? {
    opcode == .openPaymentToken && status == .ok ? inputs.transaction : nil
  }
}

extension KeyStore {
  /// Adds the uses that the log has beyond those the manifest counted.
  ///
  /// - Returns: what keys came to by the log, after the manifest was written.
  fileprivate func restoreUses(from log: LogReader, _ isRead: (Record) -> Void) throws(AuditError) -> (logged: LoggedStore, extent: LogReader.Extent) {
    let counted = Dictionary(uniqueKeysWithValues: records.filter { $0.state != .destroyed }.map { ($0.id, $0.uses.auditSize) })
    let anchored = anchor.size
    var logged = LoggedStore()
    let extent = try log.forEachRecord(from: min(anchored, counted.values.min() ?? anchored)) { record, _ in
      isRead(record)
      if record.sequence >= anchored { logged.add(record) }
      if let key = record.key, let changes = record.inputs.ledger { restore(changes: changes, for: key) }
      guard let key = record.key, let opcode = record.opcode, record.status == .ok else { return true }
      for used in (isUse(opcode, of: key) ? [key] : []) + record.furtherKeys where record.sequence >= counted[used] ?? 0 {
        restore(uses: 1, lastUse: record.time, for: used)
      }
      return true
    }
    return (logged, extent)
  }
}
