package import Crypto
internal import Format
internal import Host

/// One key in memory: immutable except for its counters, shared by reference, wiped when the last reference is dropped.
package final class KeySlot: Sendable {
  /// The record as of the store's last change; its uses lag behind those of `KeyStore.record(for:)`.
  package let record: KeyRecord
  package let certificate: Certificate?
  private let resident: ResidentKey

  init(_ record: KeyRecord, _ material: consuming KeyMaterial, certificate: Certificate?) {
    (self.record, self.certificate) = (record, certificate)
    resident = ResidentKey(material, record.uses)
  }

  private init(_ record: KeyRecord, of slot: KeySlot, _ certificate: Certificate?) {
    (self.record, self.certificate, resident) = (record, certificate, slot.resident)
  }

  /// The private key of an asymmetric key.
  package var privateKey: PrivateKey? { resident.material.privateKey() }

  /// The public key of an asymmetric key, ours or another party's.
  package var publicKey: PublicKey? { resident.material.publicKey() }

  /// Lends the bytes of a symmetric key to `body`; returns nil, without calling it, for an asymmetric key.
  package func withSymmetricKey<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R? {
    try resident.material.withSymmetricKey(body)
  }

  /// The key data for a block.
  func serialised() throws(CryptoError) -> SecretBuffer { try resident.material.serialised() }

  /// The same key with another record.
  func with(_ record: KeyRecord) -> KeySlot { KeySlot(record, of: self, certificate) }

  /// The same key with a new certificate.
  func with(_ record: KeyRecord, certificate: Certificate) -> KeySlot { KeySlot(record, of: self, certificate) }

  var uses: KeyUses { resident.uses.value }

  /// The record with the uses up to now.
  var liveRecord: KeyRecord {
    var live = record
    live.uses = uses
    return live
  }

  /// Uses since the manifest was written.
  var usesSince: UInt64 { uses.count - min(uses.count, record.uses.count) }

  /// The least number of invocations that must have happened: those in the manifest and the later uses in the log. [KS-COUNTER]
  var leastReserved: UInt64 { record.countsInvocations ? record.uses.reserved.saturated(adding: usesSince) : 0 }

  /// Remembers how many changes the key's ledger has had.
  func note(changes: UInt64) { resident.uses.change { $0.changes = max($0.changes, changes) } }

  func count(_ uses: UInt64, last: Timestamp) {
    resident.uses.change { $0.add(uses, last: last) }
  }
}

extension KeyRecord {
  /// Whether the key's invocations are counted on disk: if it has a use limit, or encrypts under random nonces, which the algorithm limits.
  var countsInvocations: Bool { useLimit != nil || role == .sealing || role == .partnerEncryptionAES }
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
