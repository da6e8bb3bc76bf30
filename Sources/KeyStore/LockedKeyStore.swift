package import Crypto
import Format
package import Host

/// A store without its keys: its directory is locked for this process; its manifest is parsed but
/// not authenticated.
package final class LockedKeyStore: Sendable {
  /// The manifest's claims, which only unlocking proves.
  package let claimedKind: StoreKind
  package let claimedKEK: KeyCheckValue
  /// Whether a passphrase can unlock it; the KEK itself always can.
  package let acceptsPassphrase: Bool
  package let directory: StoreDirectory

  /// - Throws: `KeyStoreError.absent`, `.cutOff`, `.inUse`, `.manifestForm`, `.passphraseFile`,
  ///   `.storage`.
  package static func open(
    _ path: String, on disk: any Disk = LinuxDisk(), manifestLimit: Int = StoreFile.manifest.limit
  ) throws(KeyStoreError) -> LockedKeyStore {
    guard try StoreDirectory.exists(path, .manifest, on: disk) else {
      throw try StoreDirectory.exists(path, .restored, on: disk) ? .cutOff : .absent
    }
    return try LockedKeyStore(StoreDirectory(path, on: disk, manifestLimit: manifestLimit))
  }

  package init(_ directory: StoreDirectory) throws(KeyStoreError) {
    let manifest = try directory.readManifest().manifest
    claimedKind = manifest.kind
    claimedKEK = manifest.kek
    self.directory = directory.under(manifest.kekNumber)
    acceptsPassphrase = try self.directory.readPassphraseFile() != nil
  }

  /// Checks everything on disk against `kek`, which is not kept, and unwraps every key.
  ///
  /// - Throws: `KeyStoreError`, in this order: `.storage`, `.wrongKEK`, `.manifestForm`,
  ///   `.manifestAuthentication`, `.custodians`, `.wrongKind`, `.formerKeys`, `.key`, `.auditKeys`.
  package func unlock(kek: borrowing SecretBuffer, expecting kind: StoreKind) throws(KeyStoreError)
    -> KeyStore
  {
    // A manifest whose directory could not be synced is seen and may not be durable; what it says
    // goes to the log next. [KS-UNRECORDED]
    try directory.sync()
    let file = try directory.readManifest()
    let keys = try storeKeys(kek, of: file)
    let custodians = try directory.custodians(kek, of: file.manifest)
    guard file.manifest.kind == kind else { throw .wrongKind(file.manifest.kind) }
    let former = try directory.formerKeys(of: file.manifest)
    let table = try KeyTable(file, try directory.slots(of: file.manifest, keys))
    let strays = try directory.sweep(file.manifest, former)
    let mark = try directory.unacceptedMark(file.manifest)
    return KeyStore(table, keys, directory, custodians, former, mark, strays: strays)
  }

  /// Unwraps the KEK with a passphrase of any bytes, then unlocks with it.
  ///
  /// - Throws: `KeyStoreError.noPassphrase`, `.passphraseFile`, `.wrongPassphrase`, and what
  ///   `unlock(kek:)` throws.
  package func unlock(passphrase: Span<UInt8>, expecting kind: StoreKind) throws(KeyStoreError)
    -> KeyStore
  {
    guard let file = try directory.readPassphraseFile() else { throw .noPassphrase }
    return try unlock(kek: try file.unwrap(passphrase: passphrase), expecting: kind)
  }

  /// Unwraps every key with `kek` as `unlock` does, only to prove that it works: nothing is written
  /// and no key is kept.
  ///
  /// - Returns: the records of the keys, and the manifest's generation.
  package func rebuild(kek: borrowing SecretBuffer) throws(KeyStoreError) -> (
    records: [KeyRecord], generation: Int64
  ) {
    let file = try directory.readManifest()
    let keys = try storeKeys(kek, of: file)
    _ = try directory.custodians(kek, of: file.manifest)
    _ = try directory.formerKeys(of: file.manifest)
    let table = try KeyTable(file, try directory.slots(of: file.manifest, keys))
    return (
      table.slots.values.map(\.record).sorted { $0.label.text < $1.label.text },
      file.manifest.generation
    )
  }

  private func storeKeys(_ kek: borrowing SecretBuffer, of file: ManifestFile) throws(KeyStoreError)
    -> StoreKeys
  {
    guard kek.count == KeyEncryptionKey.byteCount else { throw .wrongKEK }
    let check = try onCrypto(KeyCheckValue.aes(kek.bytes))
    guard check == file.manifest.kek else { throw .wrongKEK }
    do throws(CryptoError) {
      let keys = try StoreKeys(kek: kek.bytes, file.manifest.resealing)
      if try keys.authenticate(file) { return keys }
    } catch {
      guard error == .authenticationFailed else { throw .crypto(error) }
    }
    throw .manifestAuthentication
  }
}

extension StoreDirectory {
  /// Unwraps and checks every key except the destroyed ones.
  func slots(of manifest: Manifest, _ keys: borrowing StoreKeys) throws(KeyStoreError) -> [KeyID:
    KeySlot]
  {
    var slots: [KeyID: KeySlot] = [:]
    for record in manifest.keys {
      switch record.state {
      case .preActive, .active, .suspended, .retired, .compromised:
        slots[record.id] = try KeySlot.load(record, from: self, keys)
      case .destroyed: break
      }
    }
    return slots
  }

  package func readManifest() throws(KeyStoreError) -> ManifestFile {
    guard let text = try read(.manifest) else { throw .absent }
    return try ManifestFile(parsing: text)
  }

  func readPassphraseFile() throws(KeyStoreError) -> PassphraseFile? {
    guard let text = try read(.passphrase) else { return nil }
    return try PassphraseFile(parsing: text)
  }
}
