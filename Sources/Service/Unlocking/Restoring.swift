import Audit
import Crypto
import Format
import KeyStore
import Policy

// Unlocking a store that came from a copy, a ceremony or another machine, and refusing one that is
// merely outdated.
extension Service {
  /// The facts of a store that came from a copy; nil for any other.
  ///
  /// If there is no log, and the configuration says that it was lost with the store or the copy
  /// knows of none, what the log remembered is forgotten, and the store's anchor is reset. The
  /// manifest keeps that until the new log has it: an unlocking may fail after it has begun that
  /// log.
  func beginRestored(_ keys: KeyStore) throws(UnlockError) -> Event.Restoring? {
    let isLogAbsent = try onLog(LogReader(settings.log).isAbsent)
    do throws(KeyStoreError) {
      let mark = keys.restoredMark
      if let mark, try !keys.matches(mark) { throw .restoredMark }
      guard var copy = mark.map(RestoredCopy.init) ?? keys.restored else { return nil }
      var restoring = Event.Restoring(
        digest: copy.digest, generation: UInt64(clamping: copy.generation))
      restoring.lost = copy.lost
      guard isLogAbsent,
        keys.anchor.size == 0 || copy.digest.hex == settings.configuration.audit.lostWith
      else {
        return restoring
      }
      if restoring.lost == nil {
        guard isNamed(copy.digest, keys) else { throw .restoredUnnamed }
        copy.lost = keys.anchor.size
        restoring.lost = copy.lost
        try keys.accept(copy)
      }
      if keys.anchor.size > 0 { try keys.checkpointCounters(anchor: .beginning) }
      return restoring
    } catch { throw .store(error) }
  }

  /// Brings the store up to what the log says of its keys, records what ceremonies and unrecorded
  /// requests did, and records a restore or a move.
  ///
  /// - Throws: before anything is written, `.store(.olderThanLog)`, `.olderShares`,
  ///   `.restoredUnread`, `.restoredUnnamed`, `.otherMachine`.
  func bringUpToDate(_ restoring: Event.Restoring?, _ logged: LoggedStore, _ session: Session)
    throws(UnlockError)
  {
    let keys = session.keys
    try onStore(judge(restoring, logged, keys))
    var events = logged.missing(of: keys)
    if let last = keys.machine, last != settings.machine, restoring == nil {
      events.append(.keyStoreMoved(from: last, to: settings.machine))
    }
    let restored = restoring.map { restoring in
      var restored = restoring
      restored.unread = logged.unread
      (restored.missing, restored.moved) = keys.lag(behind: logged.lives)
      return restored
    }
    if let restored { events.append(.keyStoreRestored(restored)) }
    try record(events, session)
    if let restored { settings.report(.restored(restored)) }
    do throws(KeyStoreError) {
      if restoring != nil {
        // After the record, because the new anchor hides from the next unlocking what there was to
        // catch up with.
        try keys.catchUp(with: logged.lives, anchor: session.anchor)
      }
      try keys.finishUnlocking(on: settings.machine, anchor: session.anchor)
    } catch { throw .store(error) }
  }

  private func record(_ events: [Event], _ session: Session) throws(UnlockError) {
    guard let first = events.first else { return }
    var batch = Batch(Attempt(first))
    for event in events.dropFirst() { batch.add(Attempt(event)) }
    do throws(AuditError) { _ = try session.commit(batch) } catch { throw .audit(error) }
  }

  /// Decides whether the store may be opened with this log on this machine; if so, accepts the mark
  /// of a restore.
  private func judge(_ restoring: Event.Restoring?, _ logged: LoggedStore, _ keys: KeyStore)
    throws(KeyStoreError)
  {
    let hasShares =
      keys.shares.kekNumber >= logged.shares.kekNumber
      && keys.shares.registers >= logged.shares.registers
    guard let restoring else {
      guard hasShares, keys.hasReached(logged.lives) else { throw .olderThanLog }
      guard keys.machine == nil || keys.machine == settings.machine || settings.isMoved else {
        throw .otherMachine
      }
      return
    }
    guard hasShares || isCeremonys(restoring.digest, keys) else { throw .olderShares }
    // Among those that are missing may be the record of a key's end.
    guard logged.unread == 0 || settings.configuration.backup.forgotten == restoring.digest.hex
    else {
      throw .restoredUnread(from: keys.readFrom)
    }
    // It is accepted once it was named; the record that named it may be behind the store's anchor
    // since.
    guard let mark = keys.restoredMark else { return }
    guard logged.copies.contains(mark.digest) || isNamed(mark.digest, keys) else {
      throw .restoredUnnamed
    }
    try keys.accept(RestoredCopy(mark))
  }

  /// Whether the configuration or a ceremony names the copy.
  private func isNamed(_ copy: Digest256, _ keys: KeyStore) -> Bool {
    let backup = settings.configuration.backup
    return [backup.restored, backup.forgotten, settings.configuration.audit.lostWith]
      .contains(copy.hex) || isCeremonys(copy, keys)
  }

  private func isCeremonys(_ copy: Digest256, _ keys: KeyStore) -> Bool {
    keys.unrecorded.contains { $0.kind == .restored(copy) }
  }
}

extension UseLimits {
  /// Counts the uses of these rules' quotas that the log holds for the periods that contain `now`.
  ///
  /// Uses that are counted here already are not counted twice. Requests that leave no record count
  /// only until the next start. If records of a period are missing, its quotas are used up.
  /// - Parameter newest: the time of the last record, in case the clock is ahead of it.
  /// - Returns: which of the records could be read.
  @discardableResult func restoreQuotas(
    of rules: [String: Rule], from log: LogReader, at now: Timestamp, newest: Timestamp,
    _ isRead: (Record) -> Void = { _ in }
  ) throws(AuditError) -> LogReader.Extent {
    let present = min(now, newest)
    guard let start = rules.values.compactMap({ $0.quotaStart(at: present) }).min() else {
      return .all
    }
    let counted = UseLimits()
    var first: UInt64?
    let extent = try log.forEachRecord(since: start) { record, _ in
      isRead(record)
      first = first ?? record.sequence
      counted.count(record, of: rules)
      return true
    }
    // Of what was used before that nothing is known, should the clock be set back there.
    if first ?? 0 > 0 {
      for rule in rules.values {
        rule.exhaust(in: counted, before: start, at: start.adding(seconds: -1))
      }
    }
    if case .from(_, let oldest) = extent {
      for rule in rules.values { rule.exhaust(in: counted, before: oldest, at: present) }
    }
    quotas.raise(to: counted.quotas)
    return extent
  }

  /// Counts the use that a record shows, if its grant is one of these rules.
  func count(_ record: Record, of rules: [String: Rule]) {
    guard !record.inputs.isRepetition, let decision = record.policy, decision.isAllowed,
      let rule = decision.grant.flatMap({ rules[$0] }),
      let uid = record.actor.flatMap({ UInt32(exactly: $0.person) })
    else { return }
    rule.restore(in: self, uid: uid, key: record.key, at: record.time)
  }
}
