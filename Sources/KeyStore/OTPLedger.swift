internal import CryptoBackend
internal import Encoding
internal import SecretMemory
internal import Storage
internal import Wire

/// The subjects of one key for codes: an append-only file beside the key's block. [KS-LEDGER]
///
/// A header, then 64 bytes for each change; the last entry of a subject counts. A change is durable before anybody learns
/// what it was for, so counters can skip and never repeat. A write that fails is not tried again: nothing more is accepted
/// or given out with this key until the store is opened anew.
package final class OTPLedger: @unchecked Sendable {
  /// Subjects of one key.
  package static let capacity = 65_536

  private let directory: StoreDirectory
  private let id: KeyID
  private let chain: OTPChain
  private let lock = Lock()
  // Guarded by `lock`.
  private var subjects: [OTPEntry.Subject: OTPStanding] = [:]
  private var file: File
  private var entries = 0
  private var last: [UInt8]
  private var isClosed = false

  /// Opens the ledger of a key, or makes it.
  ///
  /// - Throws: `KeyStoreError.ledger` for a file that is not what was written; `.codesNotRestored`; `.storage`, `.crypto`.
  init(_ id: KeyID, _ directory: StoreDirectory, _ keys: borrowing StoreKeys) throws(KeyStoreError) {
    (self.id, self.directory) = (id, directory)
    let chain: OTPChain
    do throws(CryptoError) { chain = try OTPChain(keys.ledgers.bytes, id) } catch { throw .crypto(error) }
    if try directory.read(.ledger(id)) == nil { try directory.write(.ledger(id), try Self.header(id, chain)) }
    // A file that an earlier attempt made may have a name that is not durable yet.
    try directory.sync()
    guard let text = try directory.read(.ledger(id)) else { throw .ledger(id) }
    guard text != OTPLedgerContents.notRestored else { throw .codesNotRestored(id) }
    let found = try OTPLedgerContents(text, id, chain)
    let file = try directory.open(.ledger(id))
    // What a crash left of the last write was never acknowledged. [KS-LEDGER-TORN]
    if found.byteCount < text.count {
      do throws(DiskError) {
        try file.truncate(to: found.byteCount)
        try file.sync()
      } catch { throw .storage(.disk(error)) }
    }
    (subjects, entries, last) = (found.subjects, found.entries, found.last)
    self.chain = chain
    self.file = file
  }

  /// Lets `body` look at a subject's standing and change it; a change is durable when this returns, and none is made where
  /// `body` fails.
  ///
  /// - Throws: `KeyStoreError.ledgerFull` where there is no room for another subject; `.ledger` after a write that failed.
  package func update<R, E: Error>(
    _ subject: Span<UInt8>, _ body: (inout OTPStanding) throws(E) -> R
  ) throws(KeyStoreError) -> Result<R, E> {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { throw .ledger(id) }
    let name: OTPEntry.Subject
    do throws(CryptoError) { name = try chain.subject(subject) } catch { throw .crypto(error) }
    let before = subjects[name] ?? OTPStanding()
    var standing = before
    let result: R
    do throws(E) { result = try body(&standing) } catch { return .failure(error) }
    guard standing != before else { return .success(result) }
    guard subjects[name] != nil || subjects.count < Self.capacity else { throw .ledgerFull }
    try append(OTPEntry(name, standing))
    subjects[name] = standing
    return .success(result)
  }

  /// Lets `read` see the file while nothing changes it.
  func betweenChanges<R>(_ read: () throws(KeyStoreError) -> R) throws(KeyStoreError) -> R {
    try lock.withLock { () throws(KeyStoreError) in try read() }
  }

  /// Takes and gives no more: another object may open the file.
  func close() { lock.withLock { isClosed = true } }
}

extension OTPLedger {
  /// Called with `lock` held.
  private func append(_ entry: OTPEntry) throws(KeyStoreError) {
    if entries >= max(1024, 4 * subjects.count) { try compact() }
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

  /// Writes the file anew with one entry for each subject.
  private func compact() throws(KeyStoreError) {
    isClosed = true
    var text = try Self.header(id, chain)
    var mac = Array(text.suffix(OTPChain.macSize))
    do throws(CryptoError) {
      for (subject, standing) in subjects {
        let bytes = OTPEntry(subject, standing).bytes
        mac = try chain.next(after: mac, bytes)
        text += bytes + mac
      }
    } catch { throw .crypto(error) }
    try directory.write(.ledger(id), text)
    file = try directory.open(.ledger(id))
    (entries, last, isClosed) = (subjects.count, mac, false)
  }

  /// The header of a new file; its random part makes every file's MACs other ones. [KS-LEDGER-HEADER]
  private static func header(_ id: KeyID, _ chain: borrowing OTPChain) throws(KeyStoreError) -> [UInt8] {
    do throws(CryptoError) {
      let header = OTPLedgerContents.mark + id.bytes + (try Random.bytes(16))
      return header + (try chain.first(header))
    } catch { throw .crypto(error) }
  }
}

/// A ledger's file, read and checked.
struct OTPLedgerContents {
  static let mark = Array("kist-otp-ledger1".utf8)
  /// In place of a ledger that a copy had: codes that were right since may not be right again. [KS-RESTORE-CODES]
  static let notRestored = Array("kist-otp-not-restored".utf8)
  static let headerCount = mark.count + KeyID.byteCount + 16 + OTPChain.macSize
  static let lineCount = OTPEntry.byteCount + OTPChain.macSize

  private(set) var subjects: [OTPEntry.Subject: OTPStanding] = [:]
  private(set) var entries = 0
  private(set) var last: [UInt8]

  /// Bytes up to the last whole entry.
  var byteCount: Int { Self.headerCount + entries * Self.lineCount }

  /// - Throws: `KeyStoreError.ledger` for anything wrong that a crash during the last write cannot have left.
  init(_ text: [UInt8], _ id: KeyID, _ chain: borrowing OTPChain) throws(KeyStoreError) {
    do throws(CryptoError) {
      last = try chain.first(Array(text.prefix(Self.headerCount - OTPChain.macSize)))
      guard text.starts(with: Self.mark + id.bytes), text.count >= Self.headerCount, Array(text[..<Self.headerCount].suffix(OTPChain.macSize)) == last
      else { throw .authenticationFailed }
      while text.count - byteCount >= Self.lineCount {
        let entry = Array(text[byteCount..<byteCount + OTPEntry.byteCount])
        let mac = try chain.next(after: last, entry)
        guard mac.elementsEqual(text[(byteCount + OTPEntry.byteCount)...].prefix(OTPChain.macSize)) else { break }
        let read = OTPEntry(entry.span)
        subjects[read.subject] = read.standing
        last = mac
        entries += 1
      }
      guard text.count - byteCount <= Self.lineCount else { throw .authenticationFailed }
    } catch {
      throw error == .authenticationFailed ? .ledger(id) : .crypto(error)
    }
  }
}
