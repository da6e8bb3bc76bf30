internal import Audit
internal import CryptoBackend
internal import KeyStore
internal import Wire

// Unlocking a store that came from a copy, a ceremony or another machine, and refusing one that is merely outdated.
extension Service {
  /// The facts of a store that came from a copy; nil for any other.
  ///
  /// If there is no log, and the configuration says that it was lost with the store or the copy knows of none, what the log remembered is
  /// forgotten, and the store's anchor is reset. The mark keeps that until the new log has it: an unlocking may fail after it has begun that log.
  func beginRestored(_ keys: KeyStore) throws(UnlockError) -> Event.Restoring? {
    let isLogAbsent: Bool
    do throws(AuditError) { isLogAbsent = try LogReader(settings.audit.directory).isAbsent } catch { throw .audit(error) }
    do throws(KeyStoreError) {
      guard let mark = try keys.restoredMark() else { return nil }
      let isAccepted = try keys.isAccepted(mark)
      let isTrue = if isAccepted { true } else { try keys.matches(mark) }
      guard isTrue else { throw .restoredMark }
      var restoring = Event.Restoring(digest: mark.digest, generation: UInt64(clamping: mark.generation))
      if isAccepted { restoring.lost = mark.lost }
      guard isLogAbsent, keys.anchor.size == 0 || mark.digest == settings.audit.lostWith else { return restoring }
      if restoring.lost == nil {
        restoring.lost = keys.anchor.size
        try keys.accept(mark, lost: keys.anchor.size)
      }
      if keys.anchor.size > 0 { try keys.checkpointCounters(anchor: .beginning) }
      return restoring
    } catch { throw .store(error) }
  }

  /// Brings the store up to what the log says of its keys, records what ceremonies and unrecorded requests did, and records a restore or a move.
  ///
  /// - Throws: before anything is written, `.store(.olderThanLog)`, `.olderShares`, `.restoredUnnamed`, `.otherMachine`.
  func settle(_ restoring: Event.Restoring?, _ logged: LoggedStore, _ serving: Serving) throws(UnlockError) {
    let keys = serving.keys
    do throws(KeyStoreError) { try judge(restoring, logged, keys) } catch { throw .store(error) }
    var events = logged.missing(of: keys)
    if let last = keys.machine, last != settings.machine, restoring == nil { events.append(.keyStoreMoved(from: last, to: settings.machine)) }
    let restored = try restoring.map { restoring throws(UnlockError) in try caughtUp(restoring, logged, serving) }
    if let restored { events.append(.keyStoreRestored(restored)) }
    try record(events, serving)
    if let restored { settings.report(.restored(restored)) }
    do throws(KeyStoreError) {
      if restoring != nil { try keys.removeRestoredMark() }
      try keys.settle(on: settings.machine, anchor: serving.anchor)
    } catch { throw .store(error) }
  }

  /// Repeats the changes of keys that are in the log but not in the copy, and counts them.
  private func caughtUp(_ restoring: Event.Restoring, _ logged: LoggedStore, _ serving: Serving) throws(UnlockError) -> Event.Restoring {
    var restoring = restoring
    do throws(KeyStoreError) {
      let (missing, moved) = try serving.keys.catchUp(with: logged.lives, anchor: serving.anchor)
      (restoring.missing, restoring.moved) = (UInt64(missing), UInt64(moved))
    } catch { throw .store(error) }
    return restoring
  }

  private func record(_ events: [Event], _ serving: Serving) throws(UnlockError) {
    guard let first = events.first else { return }
    var batch = Batch(Attempt(first))
    for event in events.dropFirst() { batch.add(Attempt(event)) }
    do throws(AuditError) { _ = try serving.commit(batch) } catch { throw .audit(error) }
  }

  /// Decides whether the store may be opened with this log on this machine; if so, accepts the mark of a restore.
  private func judge(_ restoring: Event.Restoring?, _ logged: LoggedStore, _ keys: KeyStore) throws(KeyStoreError) {
    let hasShares = keys.shares.kekNumber >= logged.shares.kekNumber && keys.shares.registers >= logged.shares.registers
    guard let restoring else {
      guard hasShares, keys.hasReached(logged.lives) else { throw .olderThanLog }
      guard keys.machine == nil || keys.machine == settings.machine || settings.isMoved else { throw .otherMachine }
      return
    }
    let isCeremonys = keys.unrecorded.contains { $0.kind == .restored(restoring.digest) }
    guard hasShares || isCeremonys else { throw .olderShares }
    let isNamed = [settings.restored, settings.audit.lostWith].contains(restoring.digest) || logged.copies.contains(restoring.digest)
    guard isNamed || isCeremonys else { throw .restoredUnnamed }
    guard let mark = try keys.restoredMark(), try !keys.isAccepted(mark) else { return }
    try keys.accept(mark)
  }
}
