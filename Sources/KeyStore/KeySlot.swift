package import CryptoBackend
internal import Encoding
internal import SecretMemory

/// One resident key; immutable but for its counter, shared by reference, wiped when the last reference goes.
package final class KeySlot: Sendable {
  /// As of the last change of the store; its uses lag, `KeyStore.record(for:)` has them live.
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

  /// Lends the bytes of a symmetric key; gives nil, without calling `body`, for an asymmetric one.
  package func withSymmetricKey<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R? {
    try resident.material.withSymmetricKey(body)
  }

  /// The key data of a block.
  func serialised() throws(CryptoError) -> SecretBuffer { try resident.material.serialised() }

  /// The same key under another record.
  func with(_ record: KeyRecord) -> KeySlot { KeySlot(record, of: self, certificate) }

  /// The same key with its first certificate.
  func with(_ record: KeyRecord, certificate: Certificate) -> KeySlot { KeySlot(record, of: self, certificate) }

  var uses: KeyUses { resident.uses.value }

  /// The record with the uses up to now.
  var liveRecord: KeyRecord {
    var live = record
    live.uses = uses
    return live
  }

  /// The same with the place in the log up to which they are counted. [KS-USES]
  func counted(upTo anchor: AuditAnchor) -> KeyRecord {
    var counted = liveRecord
    counted.uses.auditSize = anchor.size
    return counted
  }

  func count(_ uses: UInt64, last: Timestamp) {
    resident.uses.change { $0.add(uses, last: last) }
  }
}

/// Key and counter, which outlive changes of the record.
private final class ResidentKey: Sendable {
  let material: KeyMaterial
  let uses: Guarded<KeyUses>

  init(_ material: consuming KeyMaterial, _ uses: KeyUses) {
    self.material = material
    self.uses = Guarded(uses)
  }
}
