import Crypto
import Format
package import Host

/// What a manifest says about changes of the KEK. [KS-KEK-NUMBER]
package struct Resealing: Equatable, Sendable {
  /// How many times the KEK was changed, at least once.
  let number: Int
  /// The ledgers' tag key as a key block under the KBPK. Ledgers hold subjects' tags but not their
  /// names, so a new KEK must keep the old tag key. [KS-LEDGER-MAC]
  private let tagKey: [UInt8]

  init(number: Int, tagKey: Span<UInt8>, kbpk: Span<UInt8>) throws(CryptoError) {
    self.number = number
    let use = Self.use
    let check = try KeyCheckValue.aes(kbpk)
    do throws(KeyBlockError) {
      let header = try KeyBlockHeader(
        usage: use.usage, algorithm: use.algorithm, mode: use.mode,
        optionalBlocks: [.hmac(HashAlgorithm.sha256), .check(ofProtectionKey: check)])
      self.tagKey = try KeyBlock.wrap(key: tagKey, header: header, kbpk: kbpk)
    } catch { throw error.crypto(or: .backend) }
  }

  /// Unwraps the tag key, 32 bytes.
  ///
  /// - Throws: `CryptoError.authenticationFailed` for a block of another use or under another KBPK.
  func tagKey(kbpk: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    do throws(KeyBlockError) {
      let opened = try KeyBlock.unwrap(tagKey.span, kbpk: kbpk)
      if BlockUse(opened.header) == Self.use, opened.key.count == 32 { return opened.takeKey() }
    } catch { throw error.crypto(or: .authenticationFailed) }
    throw .authenticationFailed
  }

  var json: CanonicalJSON {
    [
      "number": number, "tag_key": String(decoding: tagKey, as: UTF8.self),
    ]
  }

  init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    let number = try fields.integer("number")
    let tagKey = try fields.string("tag_key")
    try fields.end()
    guard Self.numbers.contains(number), tagKey.utf8.count <= KeyBlock.longest else {
      throw .schema
    }
    self.number = Int(number)
    self.tagKey = Array(tagKey.utf8)
  }

  private static let use = KeyRole.auditDigest.blockUse
  private static let numbers: ClosedRange<Int64> = 1...999_999
}

extension KeyStore {
  /// Reseals everything under another KEK, atomically: until the manifest is replaced only the old
  /// KEK opens the store, and afterwards only the new one. [KS-RESEAL]
  ///
  /// This object cannot be used afterwards, whether it worked or not. The next unlock removes what
  /// the old KEK sealed.
  /// - Parameter custodians: the holders of the shares of `kek`.
  /// - Throws: `KeyStoreError.wrongKEK` if the register is of another KEK, or `kek` is the store's
  ///   KEK already; `.changedOnDisk`, `.ledger`, `.counter`, `.storage`, `.crypto`.
  package func reseal(under kek: borrowing SecretBuffer, custodians: CustodianRegister)
    throws(KeyStoreError) -> LockedKeyStore
  {
    ledgers.close()
    try changing.withLock { () throws(KeyStoreError) in
      let before = table.value
      try checkManifest(of: before)
      guard restoredMark == nil else { throw .restoredUnopened }
      guard kek.count == KeyEncryptionKey.byteCount else { throw .credential }
      let sealing = try onCrypto(Sealing(keys, kek.bytes, number: before.manifest.kekNumber + 1))
      guard sealing.check != before.manifest.kek else { throw .wrongKEK }
      let next = directory.under(sealing.resealing.number)
      var manifest = before.manifest.under(sealing.check, sealing.resealing)
      manifest.registers += 1
      manifest.note(
        changesSince: before.manifest, ceremony.value.map(UnrecordedChange.Origin.ceremony))
      for slot in manifest.keys.compactMap({ before.slots[$0.id] }) {
        manifest.replace(try reseal(slot, sealing.keys, in: next))
      }
      try next.write(
        CustodianFile(custodians, number: manifest.registers, kek: kek, of: sealing.check))
      try next.write(.manifest, try ManifestFile.make(manifest, sealing.keys).serialised)
    }
    return try LockedKeyStore(directory)
  }

  /// Writes a key's block, ledger and counter under the new keys; they count only once the manifest
  /// has the new number.
  private func reseal(_ slot: KeySlot, _ new: borrowing StoreKeys, in next: StoreDirectory)
    throws(KeyStoreError) -> KeyRecord
  {
    var record = slot.record
    let id = record.id
    let block: [UInt8]
    do throws(CryptoError) {
      let data = try slot.serialised()
      block = try record.wrap(data, new)
    } catch { throw .crypto(error) }
    record.block = SHA256.hash(block)
    try next.write(.block(id), block)
    // Proves that the block opens again before it counts.
    _ = try KeySlot.load(record, from: next, new)
    if let text = try directory.read(.counter(id)) {
      let counter = try CounterFile(parsing: text, of: id, keys)
      try next.write(.counter(id), counter.serialised(for: id, new))
    }
    if let text = try directory.read(.ledger(id)) {
      try next.write(.ledger(id), OTPLedgerContents.resealed(text, id, from: keys, to: new))
    }
    return record
  }
}

/// The keys derived from a new KEK, and what the manifest will say about it.
private struct Sealing: ~Copyable {
  let keys: StoreKeys
  let check: KeyCheckValue
  let resealing: Resealing

  init(_ old: borrowing StoreKeys, _ kek: Span<UInt8>, number: Int) throws(CryptoError) {
    let kbpk = try StoreKeys.kbpk(kek)
    let resealing = try Resealing(number: number, tagKey: old.tags.bytes, kbpk: kbpk.bytes)
    let keys = try StoreKeys(kek: kek, resealing)
    check = try KeyCheckValue.aes(kek)
    self.resealing = resealing
    self.keys = keys
  }
}

extension Manifest {
  fileprivate func under(_ kek: KeyCheckValue, _ resealing: Resealing) -> Manifest {
    Manifest(
      generation: generation + 1, anchor: anchor, kek: kek, resealing: resealing, kind: kind,
      registers: registers, machine: machine, unrecorded: unrecorded,
      restored: restored, former: former, keys: keys)
  }
}
