package import Crypto
import Format
import Host

/// One key in memory: immutable except for its counters, shared by reference, wiped when the last
/// reference is dropped.
package final class KeySlot: Sendable {
  /// The record as of the store's last change; its uses lag behind those of
  /// `KeyStore.record(for:)`.
  package let record: KeyRecord
  package let certificate: Certificate?
  private let resident: ResidentKey

  init(_ record: KeyRecord, _ material: consuming KeyMaterial, certificate: Certificate?) {
    self.record = record
    self.certificate = certificate
    resident = ResidentKey(material, record.uses)
  }

  private init(_ record: KeyRecord, of slot: KeySlot, _ certificate: Certificate?) {
    self.record = record
    self.certificate = certificate
    resident = slot.resident
  }

  /// The private key of an asymmetric key.
  package var privateKey: PrivateKey? { resident.material.privateKey() }

  /// The public key of an asymmetric key, ours or another party's.
  package var publicKey: PublicKey? { resident.material.publicKey() }

  /// Lends the bytes of a symmetric key to `body`; returns nil, without calling it, for an
  /// asymmetric key.
  package func withSymmetricKey<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R)
    throws(E) -> R?
  {
    try resident.material.withSymmetricKey(body)
  }

  /// The key data for a block.
  func serialised() throws(CryptoError) -> SecretBuffer { try resident.material.serialised() }

  /// The same key with another record.
  func with(_ record: KeyRecord) -> KeySlot { KeySlot(record, of: self, certificate) }

  /// The same key with a new certificate.
  func with(_ record: KeyRecord, certificate: Certificate) -> KeySlot {
    KeySlot(record, of: self, certificate)
  }

  var uses: KeyUses { resident.uses.value }

  /// The record with the uses up to now.
  var liveRecord: KeyRecord {
    var live = record
    live.uses = uses
    return live
  }

  /// Uses since the manifest was written.
  var usesSince: UInt64 { uses.count - min(uses.count, record.uses.count) }

  /// The least number of invocations that must have happened: those in the manifest and the later
  /// uses in the log. [KS-COUNTER]
  var leastReserved: UInt64 {
    record.countsInvocations ? record.uses.reserved.saturated(adding: usesSince) : 0
  }

  /// Remembers how many changes the key's ledger has had.
  func note(changes: UInt64) { resident.uses.change { $0.changes = max($0.changes, changes) } }

  func count(_ uses: UInt64, last: Timestamp) {
    resident.uses.change { $0.add(uses, last: last) }
  }
}

extension KeyRecord {
  /// Whether the key's invocations are counted on disk: if it has a use limit, or encrypts under
  /// random nonces, which the algorithm limits.
  var countsInvocations: Bool {
    useLimit != nil || role == .sealing || role == .partnerEncryptionAES
  }
}

extension UInt64 {
  fileprivate func saturated(adding more: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(more)
    return overflow ? .max : sum
  }
}

/// The key and its counters, which outlive changes of the record.
private final class ResidentKey: Sendable {
  let material: KeyMaterial
  let uses: Guarded<KeyUses>

  init(_ material: consuming KeyMaterial, _ uses: KeyUses) {
    self.material = material
    self.uses = Guarded(uses)
  }
}

extension KeySlot {
  /// Unwraps a key from its block, and refuses it if block and manifest record disagree.
  ///
  /// - Throws: `KeyStoreError.key` with the key and the fault.
  static func load(_ record: KeyRecord, from directory: StoreDirectory, _ keys: borrowing StoreKeys)
    throws(KeyStoreError) -> KeySlot
  {
    guard let text = try directory.read(.block(record.id)) else {
      throw .key(record.id, .blockMissing)
    }
    guard SHA256.hash(text) == record.block else { throw .key(record.id, .blockDigest) }
    let opened: KeyBlock.Opened
    do throws(KeyBlockError) {
      opened = try KeyBlock.unwrap(text.span, kbpk: keys.kbpk.bytes)
    } catch {
      if case .crypto(let error) = error { throw .crypto(error) }
      throw .key(record.id, .block)
    }
    guard record.matches(opened.header) else { throw .key(record.id, .header) }
    let material = try material(record, opened.takeKey())
    return KeySlot(record, material, certificate: try certificate(record, from: directory))
  }

  private static func material(_ record: KeyRecord, _ data: consuming SecretBuffer)
    throws(KeyStoreError) -> KeyMaterial
  {
    do throws(CryptoError) {
      let material = try KeyMaterial(data, record.algorithm, of: record.role)
      if material.algorithm(in: record.role) == record.algorithm,
        try material.check(record.algorithm) == record.check
      {
        return material
      }
    } catch {
      guard error == .invalidKey || error == .invalidInput else { throw .crypto(error) }
    }
    throw .key(record.id, .material)
  }

  private static func certificate(_ record: KeyRecord, from directory: StoreDirectory)
    throws(KeyStoreError) -> Certificate?
  {
    guard let reference = record.certificate else { return nil }
    guard let der = try directory.read(.certificate(record.id, reference.digest)),
      SHA256.hash(der) == reference.digest
    else { throw .key(record.id, .certificate) }
    do throws(CryptoError) {
      let certificate = try Certificate(der: der.span)
      if .spki(certificate.spki) == record.check { return certificate }
    } catch {
      guard error == .invalidCertificate else { throw .crypto(error) }
    }
    throw .key(record.id, .certificate)
  }
}

extension KeyRecord {
  /// The header for this key's block. [KS-HEADER]
  func header(kbpk: KeyCheckValue) throws(KeyBlockError) -> KeyBlockHeader {
    let blocks = (OptionalBlock.label(label.text).map { [$0] } ?? []) + [.created(created)]
    return try header(exportability, kbpk, blocks)
  }

  /// A header for this key: `HM` for an HMAC key, `KP`, and the given blocks.
  func header(_ exportability: Exportability, _ kbpk: KeyCheckValue, _ blocks: [OptionalBlock])
    throws(KeyBlockError) -> KeyBlockHeader
  {
    let use = role.blockUse
    let hash = OptionalBlock.hash(of: algorithm, otp).map { [$0] } ?? []
    return try KeyBlockHeader(
      usage: use.usage, algorithm: use.algorithm, mode: use.mode, exportability: exportability,
      optionalBlocks: hash + [.check(ofProtectionKey: kbpk)] + blocks)
  }

  /// Whether use, exportability, label and hash match; the block's MAC binds them to the key.
  /// [KS-KEY-HEADER]
  func matches(_ header: KeyBlockHeader) -> Bool {
    BlockUse(header) == role.blockUse && header.exportability == exportability
      && header.keyVersion == .unused
      && header.optionalBlock(.label) == OptionalBlock.label(label.text)
      && header.optionalBlock(.hashAlgorithm) == OptionalBlock.hash(of: algorithm, otp)
  }

  private var exportability: Exportability { isExportable ? .exportable : .nonExportable }
}

extension OptionalBlock {
  /// The `HM` block of an HMAC key; nil for others.
  static func hash(of algorithm: KeyAlgorithm, _ otp: OTPAttributes?) -> OptionalBlock? {
    switch algorithm {
    case .hmac(let hash): hmac(hash)
    case .hmacOTP: otp?.hash.map(hmac)
    case .asymmetric, .aes256, .tripleDES2: nil
    }
  }
}
