package import Crypto
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

  /// - Throws: `KeyStoreError.absent`; `.cutOff` for a copy without a manifest; `.inUse` for a store that is no copy; `.manifestForm`,
  ///   `.passphraseFile`, `.custodians`, `.storage`.
  package init(_ path: String, on disk: any Disk = LinuxDisk()) throws(KeyStoreError) {
    guard try StoreDirectory.exists(path, .manifest, on: disk) else { throw StoreDirectory.isThere(path, on: disk) ? .cutOff : .absent }
    store = try LockedKeyStore(StoreDirectory(copy: path, on: disk))
    let file = try store.directory.readManifest()
    (manifest, claimedFill) = (file.manifest, file.fill())
    listing = try store.directory.listing(of: manifest.copied)
    facts = CopyFacts(listing, manifest)
    (claimedKEK, claimedKind, custodians) = (store.claimedKEK, store.claimedKind, try store.custodians())
  }

  /// The keys that were rebuilt: all except the destroyed ones, sorted by label.
  package struct Rebuilt: Sendable {
    package let generation: Int64
    package let records: [KeyRecord]
  }

  /// Proves that every key can be recovered from this copy: unwraps each, compares it with its record, and drops it.
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
