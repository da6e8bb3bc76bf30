package import Crypto
package import Format
package import Host
package import KeyStore

/// A copy of a store, such as a backup: read-only, and it gives out no key.
package struct StoreCopy: Sendable {
  /// The manifest's claims, unauthenticated.
  package let claimedKEK: KeyCheckValue
  package let claimedKind: StoreKind
  /// The manifest's claims too, with the actual digest of all files.
  package let facts: CopyFacts
  /// The share of what the fullest of its files may have, in hundredths.
  package let claimedFill: Int
  /// The holders of the KEK's shares, as the file claims; nil if the KEK is not split.
  package let custodians: CustodianRegister?
  let store: LockedKeyStore
  let listing: CopyListing
  let manifest: Manifest
  /// The audit log's head when it was written, as the manifest claims.
  package var claimedAnchor: AuditAnchor { manifest.anchor }
  /// The records of all keys, destroyed ones included, as the manifest claims.
  package var claimedRecords: [KeyRecord] { Array(manifest.keys) }

  /// - Throws: `KeyStoreError.absent`; `.cutOff` for a copy without a manifest; `.inUse` for a
  ///   store that is no copy; `.manifestForm`, `.passphraseFile`, `.custodians`, `.storage`.
  package init(_ path: String, on disk: any Disk = LinuxDisk()) throws(KeyStoreError) {
    guard try StoreDirectory.exists(path, .manifest, on: disk) else {
      throw StoreDirectory.isThere(path, on: disk) ? .cutOff : .absent
    }
    store = try LockedKeyStore(StoreDirectory(copy: path, on: disk))
    let file = try store.directory.readManifest()
    manifest = file.manifest
    claimedFill = file.fill()
    listing = try store.directory.listing(of: manifest.copied)
    facts = CopyFacts(listing, manifest)
    claimedKEK = store.claimedKEK
    claimedKind = store.claimedKind
    custodians = try store.custodians()
  }

  /// The keys that were rebuilt: all except the destroyed ones, sorted by label.
  package struct Rebuilt: Sendable {
    package let generation: Int64
    package let records: [KeyRecord]
  }

  /// Proves that every key can be recovered from this copy: unwraps each, compares it with its
  /// record, and drops it.
  ///
  /// - Throws: as `LockedKeyStore.unlock`.
  package func rebuild(kek: borrowing SecretBuffer) throws(KeyStoreError) -> Rebuilt {
    let (records, generation) = try store.rebuild(kek: kek)
    return Rebuilt(generation: generation, records: records)
  }
}

extension StoreDirectory {
  /// Whether there is a directory at this path.
  static func isThere(_ path: String, on disk: any Disk) -> Bool { (try? disk.list(path)) != nil }
}

extension StoreCopy {
  /// What to do with the ledgers of one-time codes, which in a copy are as old as the copy.
  package enum Codes: Sendable {
    /// Their keys serve no code until somebody installs a ledger newer than any accepted code.
    case refused
    /// Keeps the copied ledgers: only if it is known that no code was accepted or given out since.
    case asCopied
  }

  /// Restores the copy to `parent/name`, which must be absent or an empty directory; needs and
  /// reads no key. [KS-RESTORE]
  ///
  /// The manifest is written last, so an interrupted restore leaves no store, and its remains are
  /// refused by name.
  /// - Parameter digest: the copy's digest, known from elsewhere.
  /// - Throws: before anything is written, `KeyStoreError.otherCopy`, `.strays`, `.present`,
  ///   `.cutOff`; `.inUse`, `.storage`.
  package func restore(
    to name: String, in parent: String, digest: Digest256, codes: Codes = .refused,
    at now: Timestamp
  ) throws(KeyStoreError) {
    guard facts.digest == digest else { throw .otherCopy }
    guard try store.directory.strays(beside: manifest.copied + [.lock]).isEmpty else {
      throw .strays
    }
    let target = try empty(name, in: parent).under(manifest.kekNumber)
    try target.add(.restored, RestoredMark(facts, ledgers: ledgers, at: now).serialised)
    for file in manifest.copied where file != .manifest {
      if let bytes = try restored(file, codes) { try target.add(file, bytes) }
    }
    guard let text = try intact(.manifest) else { throw .otherCopy }
    try target.sync()
    try target.write(.manifest, text)
    try compare(target, codes)
  }

  /// Marks a store as a copy of itself, with all that it has: its log is lost, and the
  /// configuration may say so with its digest. [KS-RESTORE-STATE]
  ///
  /// - Throws: `KeyStoreError.restoredUnopened` if it is marked already; `.inUse`, `.storage`.
  package func forgetLog(at now: Timestamp) throws(KeyStoreError) {
    let directory = store.directory
    guard try directory.read(.restored) == nil else { throw .restoredUnopened }
    try directory.write(.restored, RestoredMark(facts, ledgers: ledgers, at: now).serialised)
  }

  /// The digests of the copy's own ledgers, which the store may get replacements for.
  private var ledgers: [KeyID: Digest256] {
    manifest.copied.reduce(into: [:]) { ledgers, file in
      if case .ledger(let id) = file { ledgers[id] = listing[file] }
    }
  }

  /// A directory that is empty except for its lock, which this process holds.
  private func empty(_ name: String, in parent: String) throws(KeyStoreError) -> StoreDirectory {
    let path = parent + "/" + name
    let disk = store.directory.disk
    if StoreDirectory.isThere(path, on: disk) { try Self.checkEmpty(path, but: [], on: disk) }
    do throws(DiskError) { try DurableFile.makeDirectory(name, in: parent, on: disk) } catch {
      throw .storage(.disk(error))
    }
    let target = try StoreDirectory(path, on: disk)
    // Somebody may have used it between the first check and the lock.
    try Self.checkEmpty(path, but: [StoreFile.lock.name(under: 0)], on: disk)
    return target
  }

  private static func checkEmpty(_ path: String, but names: [String], on disk: any Disk)
    throws(KeyStoreError)
  {
    let found: [String]
    do throws(DiskError) { found = try disk.list(path) } catch { throw .storage(.disk(error)) }
    guard !found.contains(StoreFile.manifest.name(under: 0)) else { throw .present }
    guard found.filter({ $0 != StoreDirectory.ofFileSystem }) == names else { throw .cutOff }
  }

  /// The contents of a file in the new store; nil if it gets none.
  private func restored(_ file: StoreFile, _ codes: Codes) throws(KeyStoreError) -> [UInt8]? {
    // Also for a key without a ledger in the copy, which may have got one since.
    if case .ledger = file, codes == .refused { return OTPLedgerContents.notRestored }
    return try intact(file)
  }

  /// A file of the copy, checked to be unchanged since its digest was taken.
  private func intact(_ file: StoreFile) throws(KeyStoreError) -> [UInt8]? {
    let bytes = try store.directory.read(file)
    guard bytes.map({ SHA256.hash($0) }) == listing[file] else { throw .otherCopy }
    return bytes
  }

  private func compare(_ target: StoreDirectory, _ codes: Codes) throws(KeyStoreError) {
    for file in manifest.copied {
      guard try target.read(file) == (try restored(file, codes)) else { throw .otherCopy }
    }
  }
}
