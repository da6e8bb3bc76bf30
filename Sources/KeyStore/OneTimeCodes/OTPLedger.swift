import Crypto
package import Format
import Host

/// The state of each subject of one key for codes: an append-only file beside the key's block.
/// [KS-LEDGER]
///
/// A header, then one entry of 64 bytes for each change; a subject's last entry counts. A change is
/// durable before anybody learns its outcome, so counters can skip numbers but never repeat one.
/// Where the disk is full, the next change is tried again; after any other failed write the key
/// accepts and gives out nothing more until the store is opened anew. [KS-LEDGER-FULL]
package final class OTPLedger: @unchecked Sendable {
  /// How many subjects one key has room for.
  struct Capacity {
    /// Subjects with an accepted code, or to whom a code was given out.
    let known: Int
    /// Subjects that have only ever failed. Anyone who may verify codes can make them up, so they
    /// take no room from the others and are forgotten after their lock-out. [KS-LEDGER-FORGET]
    let failed: Int

    static let standard = Capacity(known: 65_536, failed: 65_536)

    /// With so many entries the file is written anew before the next one.
    static func entries(of subjects: Int) -> Int { max(1024, 4 * subjects) }

    /// The most bytes of a ledger.
    var byteCount: Int {
      OTPLedgerContents.headerCount + Self.entries(of: known + failed) * OTPLedgerContents.lineCount
    }
  }

  private let directory: StoreDirectory
  private let id: KeyID
  private let code: OTPCode
  private let capacity: Capacity
  private let chain: OTPChain
  private let lock = Lock()
  // Guarded by `lock`.
  private var subjects: [OTPTag: OTPState] = [:]
  /// How many of `subjects` have only ever failed.
  private var failed = 0
  /// When there was no room for another of them: from then until the first can be forgotten, in
  /// seconds since 1970.
  private var full: Range<Int64> = 0..<0
  private var file: File
  private var entries = 0
  /// How many changes have no entry any more, because of compactions.
  private var forgotten: UInt64
  private var last: [UInt8]
  private var isClosed = false

  /// Opens the ledger of a key; the file was made together with the key.
  ///
  /// - Parameter least: how many changes the manifest or the audit log knows of: a file with fewer
  ///   is outdated.
  /// - Throws: `KeyStoreError.ledger` for a damaged file; `.ledgerOlder` for a file that is absent
  ///   or has too few changes; `.codesNotRestored`; `.storage`, `.crypto`.
  init(
    _ id: KeyID, _ code: OTPCode, atLeast least: UInt64, _ directory: StoreDirectory,
    _ keys: borrowing StoreKeys,
    capacity: Capacity = .standard
  ) throws(KeyStoreError) {
    self.id = id
    self.code = code
    self.directory = directory
    self.capacity = capacity
    let chain = try onCrypto(OTPChain(keys, id))
    guard let text = try directory.read(.ledger(id)) else { throw .ledgerOlder(id) }
    guard text != OTPLedgerContents.notRestored else { throw .codesNotRestored(id) }
    let found = try OTPLedgerContents(text, id, chain)
    guard found.changes >= least else { throw .ledgerOlder(id) }
    let file = try directory.open(.ledger(id))
    // A crash may have left part of an entry, which was never acknowledged. [KS-LEDGER-TORN]
    if found.byteCount < text.count {
      do throws(DiskError) {
        try file.truncate(to: found.byteCount)
        try file.sync()
      } catch { throw .storage(.disk(error)) }
    }
    subjects = found.subjects
    entries = found.entries
    forgotten = found.forgotten
    last = found.last
    failed = found.subjects.values.count { $0.hasOnlyFailed }
    self.chain = chain
    self.file = file
  }

  /// Lets `body` read and change a subject's state; a change is durable when this returns, and
  /// nothing changes if `body` throws.
  ///
  /// - Parameter now: decides which lock-outs are over.
  /// - Throws: `KeyStoreError.ledgerFull` if there is no room for another subject; `.ledger` once a
  ///   write has failed for another reason than a full disk.
  package func update<R, E: Error>(
    _ subject: Span<UInt8>, at now: Timestamp, _ body: (inout OTPState) throws(E) -> R
  ) throws(KeyStoreError) -> Result<R, E> {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { throw .ledger(id) }
    let name = try onCrypto(chain.subject(subject))
    let before = subjects[name]
    var state = before ?? OTPState()
    let result: R
    do throws(E) { result = try body(&state) } catch { return .failure(error) }
    guard state != before ?? OTPState() else { return .success(result) }
    try makeRoom(for: state, before, at: now)
    try append(OTPEntry(name, state), at: now)
    remember(name, state)
    return .success(result)
  }

  /// The number of changes ever made, all of them durable. [KS-LEDGER-OLDER]
  package var changes: UInt64 { lock.withLock { forgotten + UInt64(entries) } }

  /// Lets `read` read the file while no change is under way.
  func betweenChanges<R>(_ read: () throws(KeyStoreError) -> R) throws(KeyStoreError) -> R {
    try lock.withLock { () throws(KeyStoreError) in try read() }
  }

  /// Refuses all further use, so that another object may open the file.
  func close() { lock.withLock { isClosed = true } }
}

extension OTPLedger {
  private func remember(_ name: OTPTag, _ state: OTPState) {
    if let before = subjects.updateValue(state, forKey: name), before.hasOnlyFailed {
      failed -= 1
    }
    if state.hasOnlyFailed { failed += 1 }
  }

  private func makeRoom(for state: OTPState, _ before: OTPState?, at now: Timestamp)
    throws(KeyStoreError)
  {
    if !state.hasOnlyFailed, before?.hasOnlyFailed ?? true,
      subjects.count - failed >= capacity.known
    {
      throw .ledgerFull
    }
    // A new subject is refused even if its code is right: otherwise guessing would cost nothing
    // while there is no room.
    guard before == nil, state.issued == 0, state.enrolment == 0, failed >= capacity.failed
    else { return }
    guard !full.contains(now.seconds) else { throw .ledgerFull }
    try compact(at: now)
    guard failed >= capacity.failed else { return }
    let first =
      subjects.values.filter(\.hasOnlyFailed).map { code.pause(after: $0).upperBound }.min() ?? 0
    full = now.seconds..<max(now.seconds, first)
    throw .ledgerFull
  }

  /// Called with `lock` held.
  private func append(_ entry: OTPEntry, at now: Timestamp) throws(KeyStoreError) {
    if entries >= Capacity.entries(of: subjects.count) { try compact(at: now) }
    let bytes = entry.bytes
    let mac = try onCrypto(chain.next(after: last, bytes))
    let line = bytes + mac
    do throws(DiskError) {
      try file.write(
        line.span, at: OTPLedgerContents.headerCount + entries * OTPLedgerContents.lineCount)
      try file.syncData()
    } catch {
      // What a full disk took of the entry is written over by the next.
      isClosed = !error.isExhaustionBeforeSync
      throw .storage(.disk(error))
    }
    entries = entries + 1
    last = mac
  }

  /// Rewrites the file with one entry for each subject, leaving out those that only ever failed and
  /// whose lock-out is over.
  private func compact(at now: Timestamp) throws(KeyStoreError) {
    let kept = subjects.filter {
      !$0.value.hasOnlyFailed || code.pause(after: $0.value).contains(now.seconds)
    }
    let text: [UInt8]
    let changes = forgotten + UInt64(entries)
    text = try onCrypto(OTPLedgerContents.text(of: kept, after: changes, id, chain))
    isClosed = true
    do throws(KeyStoreError) { try directory.write(.ledger(id), text) } catch {
      if case .storage(.disk(let cause)) = error { isClosed = !cause.isExhaustionBeforeSync }
      throw error
    }
    file = try directory.open(.ledger(id))
    subjects = kept
    entries = kept.count
    forgotten = changes - UInt64(kept.count)
    failed = kept.values.count { $0.hasOnlyFailed }
    last = Array(text.suffix(OTPChain.macSize))
    isClosed = false
  }
}

/// The ledgers of an unlocked store, each opened at its first use.
final class OTPLedgers: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var open: [KeyID: OTPLedger] = [:]
  private var isClosed = false

  func ledger(_ id: KeyID, _ make: () throws(KeyStoreError) -> OTPLedger) throws(KeyStoreError)
    -> OTPLedger
  {
    try lock.withLock { () throws(KeyStoreError) in
      guard !isClosed else { throw .ledger(id) }
      if let ledger = open[id] { return ledger }
      let ledger = try make()
      open[id] = ledger
      return ledger
    }
  }

  /// Lets `read` read a ledger's file while no change of it is under way.
  func betweenChanges<R>(of id: KeyID, _ read: () throws(KeyStoreError) -> R) throws(KeyStoreError)
    -> R
  {
    try lock.withLock { () throws(KeyStoreError) in
      guard let ledger = open[id] else { return try read() }
      return try ledger.betweenChanges(read)
    }
  }

  /// Closes all ledgers: requests still under way change nothing more, as another object may own
  /// the files by now.
  func close() {
    lock.withLock {
      isClosed = true
      for ledger in open.values { ledger.close() }
      open = [:]
    }
  }
}

extension KeyStore {
  /// The ledger of a key for codes.
  ///
  /// - Throws: `KeyStoreError.ledger`, `.ledgerOlder`, `.codesNotRestored`, `.storage`, `.crypto`.
  package func ledger(of slot: KeySlot) throws(KeyStoreError) -> OTPLedger {
    guard case .code(let code) = slot.record.otp else { throw .wrongRole }
    return try ledgers.ledger(slot.record.id) { () throws(KeyStoreError) in
      try OTPLedger(slot.record.id, code, atLeast: slot.uses.changes, directory, keys)
    }
  }

  /// As `OTPLedger.update`, but also returns how many changes the ledger has had, for the audit
  /// record.
  package func update<R, E: Error>(
    _ subject: Span<UInt8>, of slot: KeySlot, at now: Timestamp,
    _ body: (inout OTPState) throws(E) -> R
  ) throws(KeyStoreError) -> (result: Result<R, E>, changes: UInt64) {
    let ledger = try ledger(of: slot)
    let result = try ledger.update(subject, at: now, body)
    let changes = ledger.changes
    slot.note(changes: changes)
    return (result, changes)
  }

  /// Remembers from the audit log the least number of changes that a key's ledger must have.
  package func restore(changes: UInt64, for id: KeyID) {
    table.value.slots[id]?.note(changes: changes)
  }
}
