package import KeyBlock
package import SecretMemory
package import Storage

/// A copy of a store, such as a backup has: it is read, never written, and gives out no key.
package struct StoreCopy: Sendable {
  /// What the manifest claims.
  package let claimedKEK: KeyCheckValue
  package let claimedKind: StoreKind
  /// What the manifest claims, too, under the digest that all the files have now.
  package let facts: CopyFacts
  /// Who holds the shares of the KEK, as the file claims; nil where it is not split.
  package let custodians: CustodianRegister?
  let store: LockedKeyStore
  let listing: CopyListing
  let manifest: Manifest
  /// Every key there is or was, as the manifest claims.
  package var claimedRecords: [KeyRecord] { manifest.keys }

  /// - Throws: `KeyStoreError.absent`; `.cutOff` for a copy without a manifest; `.inUse` for a store that is no copy; `.manifestForm`,
  ///   `.passphraseFile`, `.custodians`, `.storage`.
  package init(_ path: String, on disk: any Disk = LinuxDisk()) throws(KeyStoreError) {
    guard try StoreDirectory.exists(path, .manifest, on: disk) else { throw StoreDirectory.isThere(path, on: disk) ? .cutOff : .absent }
    store = try LockedKeyStore(StoreDirectory(copy: path, on: disk))
    manifest = try store.directory.readManifest().manifest
    listing = try store.directory.listing(of: manifest.copied)
    facts = CopyFacts(listing, manifest)
    (claimedKEK, claimedKind, custodians) = (store.claimedKEK, store.claimedKind, try store.custodians())
  }

  /// What was rebuilt: every key but the destroyed ones, ascending by label.
  package struct Rebuilt: Sendable {
    package let generation: Int64
    package let records: [KeyRecord]
  }

  /// Proves that every key can be had from this copy: each is unwrapped, compared with its record, and dropped.
  ///
  /// - Throws: as `LockedKeyStore.unlock`.
  package func rebuild(kek: borrowing SecretBuffer) throws(KeyStoreError) -> Rebuilt {
    let (records, generation) = try store.rebuild(kek: kek)
    return Rebuilt(generation: generation, records: records)
  }
}

extension StoreDirectory {
  /// Whether there is a directory of that name.
  static func isThere(_ path: String, on disk: any Disk) -> Bool { (try? disk.list(path)) != nil }
}
