internal import CryptoBackend
package import Encoding
internal import SecretMemory
internal import Storage
internal import Wire

/// The subjects of one key for codes: an append-only file beside the key's block. [KS-LEDGER]
///
/// A header, then 64 bytes for each change; the last entry of a subject counts. A change is durable before anybody learns
/// what it was for, so counters can skip and never repeat. A write that fails is not tried again: nothing more is accepted
/// or given out with this key until the store is opened anew.
package final class OTPLedger: @unchecked Sendable {
  /// How many subjects one key has room for.
  struct Capacity {
    /// Those that a code was right for, or given out to.
    let known: Int
    /// Those that have only ever failed. Anybody who may verify can make them up, so they take no room from the others, and
    /// are forgotten when their lock-out is over. [KS-LEDGER-FORGET]
    let failed: Int

    static let standard = Capacity(known: 65_536, failed: 65_536)
  }

  private let directory: StoreDirectory
  private let id: KeyID
  private let code: OTPCode
  private let capacity: Capacity
  private let chain: OTPChain
  private let lock = Lock()
  // Guarded by `lock`.
  private var subjects: [OTPEntry.Subject: OTPStanding] = [:]
  /// Of `subjects`, those that have only ever failed.
  private var failed = 0
  /// When the first of them can be forgotten, in seconds since 1970, where there was no room for another.
  private var fullUntil = Int64.min
  private var file: File
  private var entries = 0
  /// Changes whose entries a compaction took away.
  private var forgotten: UInt64
  private var last: [UInt8]
  private var isClosed = false

  /// Opens the ledger of a key, which was made with the key.
  ///
  /// - Parameter least: changes that the manifest or the audit log knows of: a file with fewer is an older one.
  /// - Throws: `KeyStoreError.ledger` for a file that is not what was written; `.ledgerOlder` for one that is absent or has too few changes;
  ///   `.codesNotRestored`; `.storage`, `.crypto`.
  init(
    _ id: KeyID, _ code: OTPCode, atLeast least: UInt64, _ directory: StoreDirectory, _ keys: borrowing StoreKeys,
    capacity: Capacity = .standard
  ) throws(KeyStoreError) {
    (self.id, self.code, self.directory, self.capacity) = (id, code, directory, capacity)
    let chain: OTPChain
    do throws(CryptoError) { chain = try OTPChain(keys, id) } catch { throw .crypto(error) }
    guard let text = try directory.read(.ledger(id)) else { throw .ledgerOlder(id) }
    guard text != OTPLedgerContents.notRestored else { throw .codesNotRestored(id) }
    let found = try OTPLedgerContents(text, id, chain)
    guard found.changes >= least else { throw .ledgerOlder(id) }
    let file = try directory.open(.ledger(id))
    // What a crash left of the last write was never acknowledged. [KS-LEDGER-TORN]
    if found.byteCount < text.count {
      do throws(DiskError) {
        try file.truncate(to: found.byteCount)
        try file.sync()
      } catch { throw .storage(.disk(error)) }
    }
    (subjects, entries, forgotten, last) = (found.subjects, found.entries, found.forgotten, found.last)
    failed = found.subjects.values.count { $0.hasOnlyFailed }
    self.chain = chain
    self.file = file
  }

  /// Lets `body` look at a subject's standing and change it; a change is durable when this returns, and none is made where
  /// `body` fails.
  ///
  /// - Parameter now: which lock-outs are over.
  /// - Throws: `KeyStoreError.ledgerFull` where there is no room for another subject; `.ledger` after a write that failed.
  package func update<R, E: Error>(
    _ subject: Span<UInt8>, at now: Timestamp, _ body: (inout OTPStanding) throws(E) -> R
  ) throws(KeyStoreError) -> Result<R, E> {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { throw .ledger(id) }
    let name: OTPEntry.Subject
    do throws(CryptoError) { name = try chain.subject(subject) } catch { throw .crypto(error) }
    let before = subjects[name]
    var standing = before ?? OTPStanding()
    let result: R
    do throws(E) { result = try body(&standing) } catch { return .failure(error) }
    guard standing != before ?? OTPStanding() else { return .success(result) }
    try makeRoom(for: standing, before, at: now)
    try append(OTPEntry(name, standing), at: now)
    remember(name, standing)
    return .success(result)
  }

  /// How many changes were made in all; each of them is durable. [KS-LEDGER-OLDER]
  package var changes: UInt64 { lock.withLock { forgotten + UInt64(entries) } }

  /// Lets `read` see the file while nothing changes it.
  func betweenChanges<R>(_ read: () throws(KeyStoreError) -> R) throws(KeyStoreError) -> R {
    try lock.withLock { () throws(KeyStoreError) in try read() }
  }

  /// Takes and gives no more: another object may open the file.
  func close() { lock.withLock { isClosed = true } }
}

extension OTPLedger {
  private func remember(_ name: OTPEntry.Subject, _ standing: OTPStanding) {
    if let before = subjects.updateValue(standing, forKey: name), before.hasOnlyFailed { failed -= 1 }
    if standing.hasOnlyFailed { failed += 1 }
  }

  private func makeRoom(for standing: OTPStanding, _ before: OTPStanding?, at now: Timestamp) throws(KeyStoreError) {
    if !standing.hasOnlyFailed, before?.hasOnlyFailed ?? true, subjects.count - failed >= capacity.known { throw .ledgerFull }
    // A right code of a new subject waits like a wrong one: answered apart, guesses would cost nothing while there is no room.
    guard before == nil, standing.issued == 0, failed >= capacity.failed else { return }
    guard now.seconds >= fullUntil else { throw .ledgerFull }
    try compact(at: now)
    guard failed >= capacity.failed else { return }
    fullUntil = subjects.values.filter(\.hasOnlyFailed).map(code.lockoutEnd).min() ?? .min
    throw .ledgerFull
  }

  /// Called with `lock` held.
  private func append(_ entry: OTPEntry, at now: Timestamp) throws(KeyStoreError) {
    if entries >= max(1024, 4 * subjects.count) { try compact(at: now) }
    let bytes = entry.bytes
    let mac: [UInt8]
    do throws(CryptoError) { mac = try chain.next(after: last, bytes) } catch { throw .crypto(error) }
    let line = bytes + mac
    do throws(DiskError) {
      try file.write(line.span, at: OTPLedgerContents.headerCount + entries * OTPLedgerContents.lineCount)
      try file.syncData()
    } catch {
      isClosed = true
      throw .storage(.disk(error))
    }
    (entries, last) = (entries + 1, mac)
  }

  /// Writes the file anew with one entry for each subject, without those that only ever failed and whose lock-out is over.
  private func compact(at now: Timestamp) throws(KeyStoreError) {
    isClosed = true
    subjects = subjects.filter { !$0.value.hasOnlyFailed || now.seconds < code.lockoutEnd($0.value) }
    failed = subjects.values.count { $0.hasOnlyFailed }
    let text: [UInt8]
    let changes = forgotten + UInt64(entries)
    do throws(CryptoError) { text = try OTPLedgerContents.text(of: subjects, after: changes, id, chain) } catch { throw .crypto(error) }
    try directory.write(.ledger(id), text)
    file = try directory.open(.ledger(id))
    (entries, forgotten) = (subjects.count, changes - UInt64(subjects.count))
    (last, isClosed) = (Array(text.suffix(OTPChain.macSize)), false)
  }
}
