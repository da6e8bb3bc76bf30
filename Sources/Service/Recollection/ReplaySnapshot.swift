import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy

/// What only the log remembers, read back when the store is unlocked.
struct ReplaySnapshot {
  let opened: Opened
  /// What happened to the store after its manifest was written, by the log's account.
  let logged: LoggedStore
  /// Which of the requested records could be read.
  let extent: LogReader.Extent

  /// What must not be opened again.
  struct Opened {
    /// Tokens.
    let replays: ReplayGuard
    /// Envelopes that open once.
    let envelopes: ReplayGuard
    /// Openings of tokens that their callers can repeat.
    let repeatable: RepeatableOpenings
    /// Openings of tokens that are to be claimed.
    let local = LocalOpenings()

    /// Enters what a record shows to have been opened.
    func restore(_ record: Record, now: Timestamp) {
      restoreLocal(record)
      // A repetition opened nothing for the first time.
      guard record.status == .ok, !record.inputs.isRepetition else { return }
      let inputs = record.inputs
      switch record.opcode.flatMap({ OperationRow.row(for: $0.rawValue) })?.operation?.opens {
      case .token?:
        if let transaction = inputs.transaction {
          replays.restore(transaction, openedAt: record.time, now: now)
        }
      case .envelope?:
        if let envelope = inputs.envelope {
          envelopes.restore(envelope, openedAt: record.time, now: now)
        }
      case nil: break
      }
      if let request = record.inputs.retry {
        repeatable.restore(request, record.sequence, openedAt: record.time, now: now)
      }
    }

    /// Enters what a record shows to be claimed later, or to be claimed by now.
    func restoreLocal(_ record: Record) {
      if record.status == .ok, let opening = record.inputs.local, let digest = record.inputs.claim {
        local.add(
          LocalOpenings.Entry(
            digest, retry: opening.retry ?? .zero, day: opening.day, record.sequence))
      }
      guard [RecordName.openingClaimed, RecordName.duplicateOpening].contains(record.operation)
      else { return }
      if let claim = record.eventText("claim").flatMap({ Digest256(hex: $0) }) {
        local.remove(ClaimDigest(claim))
      }
    }

    func add(_ file: RecollectionFile) {
      for entry in file.local { local.add(entry) }
      replays.add(file.openings)
      envelopes.add(file.envelopes)
    }

    func distrust(before time: Timestamp) {
      replays.distrust(before: time)
      envelopes.distrust(before: time)
    }

    /// As above; with the clock set back since, once it is at `time` again.
    func distrust(before time: Timestamp, now: Timestamp) {
      distrust(before: min(time, now))
      guard time > now else { return }
      replays.distrustLater(before: time)
      envelopes.distrustLater(before: time)
    }
  }
}

extension Service {
  /// Reads back which tokens and envelopes were opened, how far quotas are used up, and how often
  /// keys were used.
  ///
  /// - Parameter restoring: the facts of a store that came from a copy: the log that held this, or
  ///   part of it, may be lost.
  func recall(_ keys: KeyStore, _ log: AuditLog, _ restoring: Event.Restoring?) throws(AuditError)
    -> ReplaySnapshot
  {
    let now = settings.clock()
    let rules = rules.snapshot
    // If the clock is ahead, everything in the log would seem long ago.
    let newest = min(now, log.newestBefore ?? now)
    let (logged, uses) = try keys.restoreUses(from: log.reader) { noteReading($0) }
    let isForgetful = restoring.map { $0.lost != nil || logged.unread > 0 } ?? false
    let file = try? settings.state.read(.recollection).flatMap { RecollectionFile($0, keys) }
    if !isForgetful, let file, let opened = try resume(file, log.reader, at: now) {
      return ReplaySnapshot(opened: opened, logged: logged, extent: uses)
    }
    let (opened, extent) = try restoreOpened(from: log.reader, at: now, newest: newest)
    // What was opened was opened, however little else the file is good for.
    if let file {
      opened.add(file)
      try restoreLocal(opened, from: log.reader, after: file.anchor)
    }
    let quotas = try limits.restoreQuotas(
      of: rules.policy.quotas, from: log.reader, at: now, newest: newest
    ) { noteReading($0) }
    // The configuration declared the old log lost: quotas start anew with the new log.
    if isForgetful { opened.distrust(before: now) }
    return ReplaySnapshot(
      opened: opened, logged: logged, extent: extent.narrower(uses).narrower(quotas))
  }

  /// Continues from the recollection file and reads only the records after it. Nil if the file is
  /// of another policy or another log, or if records after it are missing: then the log is read.
  private func resume(_ file: RecollectionFile, _ log: LogReader, at now: Timestamp)
    throws(AuditError) -> ReplaySnapshot.Opened?
  {
    let rules = rules.snapshot
    // A floor in the future was set while the clock was ahead, and would refuse everything.
    guard file.policy == rules.policyHash,
      file.openings.floor <= now.seconds + Int64(longestOpening(rules)),
      file.envelopes.floor <= now.seconds + Int64(ReplayHorizon.envelopeLead),
      try log.has(TreeHead(size: file.anchor.size, root: file.anchor.root))
    else { return nil }
    let window = longestOpening(rules)
    let capacity = settings.configuration.applePay.replayEntries
    let opened = ReplaySnapshot.Opened(
      replays: ReplayGuard(
        window: window, lead: window, capacity: capacity, file.openings, now: now),
      envelopes: ReplayGuard(
        window: longestEnvelope(rules), lead: ReplayHorizon.envelopeLead, capacity: capacity,
        file.envelopes, now: now),
      repeatable: RepeatableOpenings(
        longest: rules.retry.longest, capacity: capacity, file.repeatable, now: now))
    for entry in file.local { opened.local.add(entry) }
    let counted = UseLimits()
    let quotas = rules.policy.quotas
    counted.quotas.restore(file.quotas)
    let extent = try log.forEachRecord(from: file.anchor.size) { record, _ in
      noteReading(record)
      opened.restore(record, now: now)
      counted.count(record, of: quotas)
      return true
    }
    guard extent == .all else { return nil }
    limits.quotas.raise(to: counted.quotas)
    // The clock was set back since the file was begun.
    if limits.quotas.unread(at: now) != nil {
      try limits.restoreQuotas(of: quotas, from: log, at: now, newest: now) { noteReading($0) }
    }
    return opened
  }

  /// Reads what was opened, or claimed, without the fleet's store, which may be longer ago than all
  /// else.
  private func restoreLocal(
    _ opened: ReplaySnapshot.Opened, from log: LogReader, after anchor: AuditAnchor
  ) throws(AuditError) {
    guard settings.fleet != nil, try log.has(TreeHead(size: anchor.size, root: anchor.root)) else {
      return
    }
    _ = try log.forEachRecord(from: anchor.size) { record, _ in
      noteReading(record)
      opened.restoreLocal(record)
      return true
    }
  }

  /// Tells the service manager now and then that a long read goes on.
  private func noteReading(_ record: Record) {
    if record.sequence.isMultiple(of: 1 << 16) { settings.isReading() }
  }

  private func restoreOpened(
    from log: LogReader, at now: Timestamp, newest: Timestamp
  ) throws(AuditError) -> (opened: ReplaySnapshot.Opened, extent: LogReader.Extent) {
    let rules = rules.snapshot
    let window = longestOpening(rules)
    let valid = longestEnvelope(rules)
    let lead = ReplayHorizon.envelopeLead
    let ofTokens = ReplayHorizon.start(window: window, lead: window, now: newest)
    let ofEnvelopes = ReplayHorizon.start(window: valid, lead: lead, now: newest)
    let ofRetries = newest.adding(seconds: -Int64(rules.retry.longest))
    let capacity = settings.configuration.applePay.replayEntries
    let opened = ReplaySnapshot.Opened(
      replays: ReplayGuard(
        window: window, lead: window, capacity: capacity, complete: ofTokens),
      envelopes: ReplayGuard(
        window: valid, lead: lead, capacity: capacity, complete: ofEnvelopes),
      repeatable: RepeatableOpenings(
        longest: rules.retry.longest, capacity: capacity, now: now))
    let extent = try log.forEachRecord(since: min(ofTokens, ofEnvelopes, ofRetries)) { record, _ in
      noteReading(record)
      if record.followsLostLog { opened.distrust(before: record.time, now: now) }
      opened.restore(record, now: now)
      return true
    }
    if case .from(_, let latest) = extent { opened.distrust(before: latest) }
    return (opened, extent)
  }

  /// For how long after its signing a token may be opened on this host for the first time, in
  /// seconds.
  func longestOpening(_ rules: Rules) -> UInt32 {
    rules.freshness.longest + longestAfterOthers(rules)
  }

  /// The same of an envelope that opens once, after it was made.
  func longestEnvelope(_ rules: Rules) -> UInt32 {
    rules.standInKeys.longestOneUse + longestAfterOthers(rules)
  }

  /// In a fleet, also if another host opened it before. [FLEET-F2]
  private func longestAfterOthers(_ rules: Rules) -> UInt32 {
    settings.fleet == nil ? 0 : rules.retry.longest
  }

  /// Records and reports that records were missing.
  func report(_ extent: LogReader.Extent, _ session: Session) throws(UnlockError) {
    guard case .from(let oldest, let since) = extent else { return }
    _ = try onLog(session.commit(Batch(Attempt(.recordsUnread(oldest: oldest, since: since)))))
    settings.report(.recordsUnread(since: since))
  }
}

extension Record {
  /// Whether the log before this record was lost, with all it knew.
  fileprivate var followsLostLog: Bool {
    // The logs of earlier builds say it by `lost` alone.
    operation == "key-store-restored"
      && event.contains { $0.name == "forgotten" || $0.name == "lost" && $0.value != .integer(0) }
  }
}

extension KeyStore {
  /// Adds the uses that the log shows beyond those in the manifest.
  ///
  /// - Returns: what happened to keys after the manifest was written, by the log's account.
  fileprivate func restoreUses(from log: LogReader, _ isRead: (Record) -> Void) throws(AuditError)
    -> (logged: LoggedStore, extent: LogReader.Extent)
  {
    let counted = Dictionary(
      uniqueKeysWithValues: records.filter { $0.state != .destroyed }.map {
        ($0.id, $0.uses.auditSize)
      })
    let anchored = anchor.size
    let first = readFrom
    // A change that was recorded while the next one was made is still listed, and its record is
    // older than the manifest.
    let listed = unrecorded.compactMap(\.auditSize).min() ?? anchored
    var logged = LoggedStore()
    let extent = try log.forEachRecord(from: first) { record, _ in
      isRead(record)
      if record.sequence >= anchored { logged.add(record) }
      if record.sequence >= listed { logged.note(record) }
      if let key = record.key, let changes = record.inputs.ledger {
        restore(changes: changes, for: key)
      }
      guard let key = record.key, let opcode = record.opcode, record.status == .ok else {
        return true
      }
      let isCounted = !record.inputs.isRepetition && isUse(opcode, of: key)
      for used in (isCounted ? [key] : []) + record.furtherKeys
      where record.sequence >= counted[used] ?? 0 {
        restore(uses: 1, lastUse: record.time, for: used)
      }
      return true
    }
    if case .from(let sequence, _) = extent {
      (logged.unread, logged.first) = (sequence - min(first, sequence), sequence)
    }
    return (logged, extent)
  }
}
