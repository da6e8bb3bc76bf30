internal import Audit
internal import KeyStore
internal import Wire

// The first unlocking of a store that came from a copy, and the refusal of an old store that nobody says came from one.
extension Service {
  /// What there is to say of a store that came from a copy; nil for any other.
  ///
  /// Where the configuration says that the log went with the store, and there is none, the store forgets where that log stood.
  func beginRestored(_ keys: KeyStore) throws(UnlockError) -> Event.Restoring? {
    let isLogAbsent: Bool
    do throws(AuditError) { isLogAbsent = try LogReader(settings.audit.directory).isAbsent } catch { throw .audit(error) }
    do throws(KeyStoreError) {
      guard let mark = try keys.restoredMark() else { return nil }
      var restoring = Event.Restoring(digest: mark.digest, generation: UInt64(clamping: mark.generation))
      guard mark.digest == settings.audit.lostWith, keys.anchor.size > 0, isLogAbsent else { return restoring }
      restoring.lost = keys.anchor.size
      try keys.checkpointCounters(anchor: .beginning)
      return restoring
    } catch { throw .store(error) }
  }

  /// Brings the store to where the log says its keys are, and puts that on the record; without a restoring, it must be there.
  func settle(_ restoring: Event.Restoring?, _ lives: [KeyID: LoggedLife], _ serving: Serving) throws(UnlockError) {
    guard var restoring else {
      if !serving.keys.hasReached(lives) { throw .store(.olderThanLog) }
      return
    }
    let head = serving.log.head
    do throws(KeyStoreError) {
      let (missing, moved) = try serving.keys.catchUp(with: lives, anchor: AuditAnchor(size: head.size, root: head.root))
      (restoring.missing, restoring.moved) = (UInt64(missing), UInt64(moved))
    } catch { throw .store(error) }
    do throws(AuditError) { _ = try serving.commit(Batch(Attempt(.keyStoreRestored(restoring)))) } catch { throw .audit(error) }
    do throws(KeyStoreError) { try serving.keys.removeRestoredMark() } catch { throw .store(error) }
    settings.report(.restored(restoring))
  }
}

extension [KeyID: LoggedLife] {
  /// Takes in what a record says that a key has come to.
  mutating func add(_ record: Record) {
    guard let key = record.key, let change = Event.KeyChange(rawValue: record.operation) else { return }
    var life = self[key] ?? LoggedLife()
    switch change {
    case .imported, .generated: life.enter(.preActive, at: record.time)
    case .certified: return
    case .activated: life.enter(.active, at: record.time)
    case .suspended: life.enter(.suspended, at: record.time)
    case .resumed: life.resume()
    case .retired: life.enter(.retired, at: record.time)
    case .compromised: life.enter(.compromised, at: record.time)
    case .destroyed: life.enter(.destroyed, at: record.time)
    }
    self[key] = life
  }
}
