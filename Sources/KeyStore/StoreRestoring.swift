package import CryptoBackend
package import Encoding
internal import Storage
internal import Wire

extension StoreCopy {
  /// What becomes of the ledgers of one-time codes, which a copy has as they were when it was made.
  package enum Codes: Sendable {
    /// Their keys serve no code until a ledger of later than any code that was accepted is put in its place.
    case refused
    /// For whoever knows that no code was accepted or given out since.
    case asCopied
  }

  /// Makes a store of the copy at `parent/name`, which is absent or an empty directory; no key is needed, and none is read. [KS-RESTORE]
  ///
  /// The manifest is written last, so a restoring that was cut off leaves no store, and what it leaves is refused by name.
  /// - Parameter digest: the copy's, from elsewhere.
  /// - Throws: before anything is touched `KeyStoreError.otherCopy`, `.strays`, `.present`, `.cutOff`; `.inUse`, `.storage`.
  package func restore(to name: String, in parent: String, digest: Digest256, codes: Codes = .refused, at now: Timestamp) throws(KeyStoreError) {
    guard facts.digest == digest else { throw .otherCopy }
    guard try store.directory.strays(beside: manifest.copied + [.lock]).isEmpty else { throw .strays }
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

  /// The copy's own, which the store may get others in place of.
  private var ledgers: [KeyID: Digest256] {
    manifest.copied.reduce(into: [:]) { ledgers, file in
      if case .ledger(let id) = file { ledgers[id] = listing[file] }
    }
  }

  /// A directory with nothing in it but its lock, which this process holds.
  private func empty(_ name: String, in parent: String) throws(KeyStoreError) -> StoreDirectory {
    let (path, disk) = (parent + "/" + name, store.directory.disk)
    if StoreDirectory.isThere(path, on: disk) { try Self.checkEmpty(path, but: [], on: disk) }
    do throws(DiskError) { try DurableFile.makeDirectory(name, in: parent, on: disk) } catch { throw .storage(.disk(error)) }
    let target = try StoreDirectory(path, on: disk)
    // Somebody else may have been here between the look and the lock.
    try Self.checkEmpty(path, but: [StoreFile.lock.name(under: 0)], on: disk)
    return target
  }

  private static func checkEmpty(_ path: String, but names: [String], on disk: any Disk) throws(KeyStoreError) {
    let found: [String]
    do throws(DiskError) { found = try disk.list(path) } catch { throw .storage(.disk(error)) }
    guard !found.contains(StoreFile.manifest.name(under: 0)) else { throw .present }
    guard found == names else { throw .cutOff }
  }

  /// What the new store has of a file; nil for nothing.
  private func restored(_ file: StoreFile, _ codes: Codes) throws(KeyStoreError) -> [UInt8]? {
    // A key without a ledger may have one by now: it is refused as well.
    if case .ledger = file, codes == .refused { return OTPLedgerContents.notRestored }
    return try intact(file)
  }

  /// A file of the copy, as it was when its digest was taken.
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
