package import KeyBlock
package import SecretMemory
package import Storage

/// A copy of a store, such as a backup has: it is read, never written, and gives out no key.
package struct StoreCopy: Sendable {
  /// What the manifest claims.
  package let claimedKEK: KeyCheckValue
  /// Who holds the shares of the KEK, as the file claims; nil where it is not split.
  package let custodians: CustodianRegister?
  private let store: LockedKeyStore

  /// - Throws: `KeyStoreError.absent`, `.inUse` for a store that is no copy, `.manifestForm`, `.passphraseFile`, `.custodians`, `.storage`.
  package init(_ path: String, on disk: any Disk = LinuxDisk()) throws(KeyStoreError) {
    guard try StoreDirectory.exists(path, .manifest, on: disk) else { throw .absent }
    store = try LockedKeyStore(StoreDirectory(copy: path, on: disk))
    (claimedKEK, custodians) = (store.claimedKEK, try store.custodians())
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
