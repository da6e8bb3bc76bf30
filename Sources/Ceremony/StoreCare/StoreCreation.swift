// StoreCare: what people do to a whole key store: making it, reading a copy of it, restoring it.
// It knows the files of a store and in which order they are written.
// It must not know requests, policy, sockets or the log, and the daemon does not link it.

package import Crypto
package import Format
package import Host
package import KeyStore

extension LockedKeyStore {
  /// Creates a store with new audit keys at `parent/name`, which only `kek` unlocks.
  ///
  /// The manifest is written last, so a crash leaves no store, and the creation can be repeated.
  /// - Parameter custodians: the holders of the shares of `kek`, if it is split.
  /// - Throws: `KeyStoreError.present` if there is a store, `.cutOff` if one was being restored;
  ///   `.wrongKEK` for a register of another KEK.
  package static func create(
    _ name: String, in parent: String, kek: borrowing SecretBuffer,
    custodians: CustodianRegister? = nil, kind: StoreKind, at now: Timestamp,
    anchor: AuditAnchor = .beginning, on disk: any Disk = LinuxDisk()
  ) throws(KeyStoreError) -> LockedKeyStore {
    let directory = try makeDirectory(name, in: parent, on: disk)
    return try populate(directory, kek, custodians, kind, now, anchor)
  }

  /// Likewise, with `kek` stored beside it, wrapped under a passphrase of any bytes.
  package static func create(
    _ name: String, in parent: String, kek: borrowing SecretBuffer, passphrase: Span<UInt8>,
    cost: PassphraseCost = .standard,
    kind: StoreKind, at now: Timestamp, anchor: AuditAnchor = .beginning,
    on disk: any Disk = LinuxDisk()
  ) throws(KeyStoreError) -> LockedKeyStore {
    let directory = try makeDirectory(name, in: parent, on: disk)
    let file = try PassphraseFile.wrap(kek: kek.bytes, passphrase: passphrase, cost: cost)
    try directory.write(.passphrase, file.serialised)
    return try populate(directory, kek, nil, kind, now, anchor)
  }

  private static func makeDirectory(_ name: String, in parent: String, on disk: any Disk)
    throws(KeyStoreError) -> StoreDirectory
  {
    do throws(DiskError) {
      try DurableFile.makeDirectory(name, in: parent, on: disk)
    } catch {
      throw .storage(.disk(error))
    }
    let directory = try StoreDirectory(parent + "/" + name, on: disk)
    guard try directory.read(.manifest) == nil else { throw .present }
    guard try directory.read(.restored) == nil else { throw .cutOff }
    // An earlier attempt may have left files of another KEK.
    try directory.remove(.passphrase)
    try directory.remove(.custodians)
    return directory
  }

  private static func populate(
    _ directory: StoreDirectory, _ kek: borrowing SecretBuffer, _ custodians: CustodianRegister?,
    _ kind: StoreKind, _ now: Timestamp, _ anchor: AuditAnchor
  ) throws(KeyStoreError) -> LockedKeyStore {
    guard kek.count == KeyEncryptionKey.byteCount else { throw .credential }
    var manifest: Manifest
    let keys: StoreKeys
    do throws(CryptoError) {
      manifest = Manifest(
        generation: 1, anchor: anchor, kek: try KeyCheckValue.aes(kek.bytes), resealing: nil,
        kind: kind, registers: custodians == nil ? 0 : 1)
      keys = try StoreKeys(kek: kek.bytes)
    } catch {
      throw .crypto(error)
    }
    if let custodians {
      try directory.write(CustodianFile(custodians, number: 1, kek: kek, of: manifest.kek))
    }
    let signing = try auditKey("signing", .auditSigning) { () throws(CryptoError) in
      .privateKey(try PrivateKey.generate(.ed25519))
    }
    let digest = try auditKey("digest", .auditDigest) { () throws(CryptoError) in
      .symmetric(try Random.secret(count: 32))
    }
    for new in [
      try NewKey(signing, merchant: nil, at: now, auditSize: anchor.size, keys),
      try NewKey(digest, merchant: nil, at: now, auditSize: anchor.size, keys),
    ] {
      try new.write(to: directory)
      manifest.insert(new.record)
    }
    try directory.write(.manifest, try ManifestFile.make(manifest, keys).serialised)
    return try LockedKeyStore(directory)
  }

  /// A new audit key. [KS-AUDIT-KEYS]
  private static func auditKey(
    _ name: String, _ role: KeyRole, _ make: () throws(CryptoError) -> KeyMaterial
  ) throws(KeyStoreError) -> KeyImport {
    guard let label = KeyLabel("audit/" + name) else { throw .auditKeys }
    do throws(CryptoError) {
      return KeyImport(label: label, role: role, material: try make())
    } catch {
      throw .crypto(error)
    }
  }
}

extension PassphraseFile {
  package static func wrap(kek: Span<UInt8>, passphrase: Span<UInt8>, cost: PassphraseCost)
    throws(KeyStoreError) -> PassphraseFile
  {
    do throws(CryptoError) {
      let salt = try Random.bytes(saltCount)
      let key = try derive(passphrase, salt, cost)
      let check = try KeyCheckValue.aes(kek)
      let block: [UInt8]
      do throws(KeyBlockError) {
        let header = try KeyBlockHeader(
          usage: .keyEncryption, algorithm: .aes, mode: .encryptDecrypt,
          optionalBlocks: [.check(of: check)])
        block = try KeyBlock.wrap(key: kek, header: header, kbpk: key.bytes)
      } catch {
        throw .backend
      }
      return PassphraseFile(cost: cost, salt: salt, block: String(decoding: block, as: UTF8.self))
    } catch {
      throw .crypto(error)
    }
  }
}

extension KeyEncryptionKey {
  /// Generates a KEK with the kernel's random generator.
  package static func generate() throws(CryptoError) -> SecretBuffer {
    try Random.secret(count: byteCount)
  }
}

extension CustodianRegister {
  /// The register of a split whose shares were just handed out.
  ///
  /// - Parameters:
  ///   - shares: all of them.
  ///   - holders: one for each share, in the shares' order.
  /// - Throws: `KeyStoreError.custodians` unless each share has a holder of its own.
  package init(_ shares: borrowing ShareCollection, holders: [Custodian], kek: KeyCheckValue)
    throws(KeyStoreError)
  {
    guard shares.headers.count == holders.count else { throw .custodians }
    var groups: [Group] = []
    for group in shares.groups {
      var holdings: [Holding] = []
      for (row, header) in shares.headers.enumerated() where header.group == group.group {
        do throws(SharingError) {
          let share = try shares.share(row)
          holdings.append(Holding(fingerprint: share.fingerprint, holder: holders[row]))
        } catch { throw .custodians }
      }
      groups.append(Group(threshold: group.threshold, holdings: holdings))
    }
    let split = shares.headers[0].split
    try self.init(
      split: split.identifier, groupThreshold: split.groupThreshold, groups: groups, kek: kek)
  }
}
