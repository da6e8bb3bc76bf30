import ApplePay
package import Audit
package import Crypto
import Format
package import Host
package import KeyStore
import Operations
import Policy

extension Service {
  /// Opens the key store with an operator's passphrase; wrong passphrases are counted in the record
  /// of the right one.
  ///
  /// - Parameter facts: the operator's request, recorded once there is a log.
  /// - Returns: the audit sequence of the request.
  func unlock(passphrase: Span<UInt8>, for facts: RequestFacts, _ grant: consuming Grant)
    throws(UnlockError) -> UInt64
  {
    transition.lock()
    defer { transition.unlock() }
    let store = try lockedStore()
    let keys = try onStore(
      store.unlock(passphrase: passphrase, expecting: settings.configuration.kind))
    let session = try begin(keys)
    return try enter(
      session, .passphrase, Batch(Attempt(facts, allowed: grant, .done(released: []))))
  }

  /// Opens the key store with the KEK itself, read from a credential.
  package func unlock(credential kek: borrowing SecretBuffer) throws(UnlockError) {
    transition.lock()
    defer { transition.unlock() }
    let store = try lockedStore()
    let keys = try onStore(store.unlock(kek: kek, expecting: settings.configuration.kind))
    _ = try enter(try begin(keys), .credential, Batch())
  }

  func lockedStore() throws(UnlockError) -> LockedKeyStore {
    guard case .locked(let store) = life.current else { throw .notLocked }
    return store
  }

  /// Starts serving; also records what custodians did before there was a log.
  ///
  /// - Returns: the audit sequence of the last of these requests.
  func enter(_ session: Session, _ how: Event.Unlocking, _ request: consuming Batch)
    throws(UnlockError) -> UInt64
  {
    quorum.wipe()
    var batch = quorum.takeRecords()
    let noted = UInt64(batch.count)
    batch.add(request)
    let last = UInt64(max(batch.count, 1) - 1)
    let counted = unrecorded.value
    batch.add(Attempt(.keyStoreUnlocked(how, refused: counted - noted)))
    let receipt: Receipt
    do throws(AuditError) { receipt = try session.commit(batch) } catch { throw .audit(error) }
    unrecorded.subtract(counted)
    life.serve(session)
    settings.report(.unlocked(keys: session.keys.records.count, auditSize: session.log.head.size))
    if let first = session.keys.strays.first {
      settings.report(.strayFiles(count: session.keys.strays.count, first: first))
    }
    watchKeyEnds()
    session.kept.begin()
    // With a credential the daemon is not ready yet to have other threads: it says so itself.
    if how != .credential { claimLocalOpenings() }
    return receipt.firstSequence + last
  }

  /// Opens the log with the store's keys, and reads back what only the log remembers.
  func begin(_ keys: KeyStore) throws(UnlockError) -> Session {
    let configuration = settings.configuration
    let digests: DigestKey
    keys.keepDestroyed(
      seconds: configuration.destroyedRetention.map { Int64($0.wholeSeconds) })
    let restoring = try beginRestored(keys)
    do throws(CryptoError) { digests = try DigestKey(try keys.auditDigestKey()) } catch {
      throw .crypto(error)
    }
    let log = try openLog(keys, restoring)
    // If the log was lost, nobody knows which tokens were opened until now.
    let recalled = try onLog(recall(keys, log, restoring))
    let watch = ClockWatch(
      newest: log.newestBefore, wall: settings.clock(), monotonic: settings.monotonicClock())
    let kept = KeptCheckpoint(of: log, in: settings.state, after: settings.after) {
      [report = settings.report] in report(.checkpointNotKept($0))
    }
    let notes = RecollectionNotes(
      keys: keys, opened: recalled.opened, limits: limits, rules: rules, state: settings.state)
    let tables = LeafTables(limit: configuration.leafTables) { [after = settings.after] action in
      after(0, action)
    }
    let daemon = DaemonContext(
      keys: keys, digests: digests,
      verifier: PaymentTokenVerifier(anchor: settings.anchor, tables: tables),
      provisioning: ProvisioningVerifier(
        anchor: settings.anchor, issuer: ProvisioningIssuer(configuration.provisioning),
        checksValidity: configuration.provisioning.checksValidity),
      merchantIssuers: settings.merchantIssuers, replays: recalled.opened.replays,
      repeatable: recalled.opened.repeatable,
      usedEnvelopes: recalled.opened.envelopes, fleet: settings.fleet,
      localOpenings: recalled.opened.local,
      pending: PendingRequests(
        configuration.operators, clock: settings.clock,
        monotonicClock: settings.monotonicClock),
      backups: backups(of: keys, log, notes), inFlight: configuration.limits.inFlight,
      isRehearsal: configuration.sandbox != nil, clock: settings.clock,
      anchor: { log.anchor }, signedHead: log.signedHead)
    let session = Session(daemon, log, kept, notes, countsInterval: settings.countsInterval) {
      [settings] in
      // A clock that stands makes no step.
      guard configuration.sandbox?.clock == nil,
        let step = watch.step(wall: settings.clock(), monotonic: settings.monotonicClock())
      else { return nil }
      settings.report(.clockStep(microseconds: step))
      return step
    }
    do throws(UnlockError) {
      // Written before the restore mark is removed and before the store is unlocked: from then on
      // it must exist.
      do throws(DiskError) { try kept.write() } catch { throw .audit(.disk(error)) }
      try bringUpToDate(restoring, recalled.logged, session)
      try report(recalled.extent, session)
      if keys.hasUncountedUses { Session.saveCounts(keys, session.anchor) }
    } catch {
      try? log.close()
      throw error
    }
    return session
  }

  private func backups(of keys: KeyStore, _ log: AuditLog, _ notes: RecollectionNotes)
    -> DaemonContext.Backups?
  {
    settings.configuration.backup.directory.map { directory in
      DaemonContext.Backups(
        directory: directory, saveCounts: { Session.saveCounts(keys, log, notes) },
        reportFailure: { [report = settings.report] in report(.backupFailed($0)) })
    }
  }

  private func openLog(_ keys: KeyStore, _ restoring: Event.Restoring?) throws(UnlockError)
    -> AuditLog
  {
    guard let key = keys.auditSigning.privateKey else { throw .audit(.signing) }
    let signer: NoteSigner
    do throws(NoteError) {
      signer = try NoteSigner(name: settings.configuration.audit.origin, key: key)
    } catch {
      throw .audit(.signing)
    }
    let anchor = try anchor(keys, signer.verifier, restoring)
    let rules = rules.snapshot
    return try onLog(
      AuditLog(
        settings.log, signer: signer,
        start: StartFacts(policy: rules.policyHash, configuration: rules.configurationHash),
        settings: settings.audit, anchor: anchor))
  }

  /// The newest tree head known outside the log: the manifest's or the kept checkpoint's.
  private func anchor(_ keys: KeyStore, _ verifier: NoteVerifier, _ restoring: Event.Restoring?)
    throws(UnlockError) -> TreeHead?
  {
    let manifest =
      keys.anchor.size == 0 ? nil : TreeHead(size: keys.anchor.size, root: keys.anchor.root)
    // The log was lost with the old store: a new one begins, and the old log's checkpoint means
    // nothing to it.
    if restoring?.lost != nil, manifest == nil {
      do throws(DiskError) { try settings.state.remove(.checkpoint) } catch {
        throw .audit(.disk(error))
      }
      return nil
    }
    let log = LogReader(settings.log)
    if let kept = try KeptCheckpoint.head(in: settings.state, signedBy: verifier) {
      // After an orderly stop they are the same, and the log is compared with it as it is opened.
      guard let manifest, manifest != kept else { return kept }
      let isOthers = try onLog(log.contradicts(manifest))
      // A kept checkpoint is of the log that is here, and says nothing of a store that comes from
      // elsewhere. [KS-OLDER]
      if isOthers { throw .audit(.tampered(at: manifest.size, .fork)) }
      return kept.size >= manifest.size ? kept : manifest
    }
    let isNew = try onLog(manifest == nil ? log.isUnused : log.isAbsent)
    guard restoring != nil || isNew else { throw .keptCheckpoint(.absent) }
    return manifest
  }
}

extension KeyStore {
  fileprivate func auditDigestKey() throws(CryptoError) -> SecretBuffer {
    let copy: SecretBuffer? = try auditDigest.withSymmetricKey { (key) throws(CryptoError) in
      do throws(SecretMemoryError) { return try SecretBuffer(copying: key) } catch {
        throw .exhausted
      }
    }
    guard let copy else { throw .invalidKey }
    return copy
  }
}

extension AuditLog {
  /// The head of the checkpoint over exactly `size` records; nil if there is none with a valid
  /// signature.
  fileprivate func signedHead(_ size: UInt64) throws(AuditError) -> TreeHead? {
    guard let found = try reader.checkpoint(upTo: size), found.checkpoint.head.size == size else {
      return nil
    }
    return try? found.head(signedBy: verifier)
  }
}

/// Why a key store was not opened for service.
package enum UnlockError: Error, Equatable {
  /// It is open already, or the daemon has stopped serving.
  case notLocked
  case store(KeyStoreError)
  /// The log cannot be opened, or is not the one that the key store knows.
  case audit(AuditError)
  /// The kept checkpoint, which reveals a cut log, is missing or wrong.
  case keptCheckpoint(KeptCheckpointFault)
  case crypto(CryptoError)
}

// Each runs code of another module, and tells its error as why the key store was not opened.

func onStore<R: ~Copyable>(_ body: @autoclosure () throws(KeyStoreError) -> R) throws(UnlockError)
  -> R
{
  do throws(KeyStoreError) { return try body() } catch { throw .store(error) }
}

func onLog<R: ~Copyable>(_ body: @autoclosure () throws(AuditError) -> R) throws(UnlockError) -> R {
  do throws(AuditError) { return try body() } catch { throw .audit(error) }
}
