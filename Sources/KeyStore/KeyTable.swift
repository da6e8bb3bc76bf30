internal import CryptoBackend
internal import Wire

/// One generation of a store in memory: an immutable snapshot, replaced as a whole.
final class KeyTable: Sendable {
  let edition = KeyTableEdition()
  let manifest: Manifest
  /// SHA-256 of the manifest file's bytes.
  let fileDigest: Digest256
  /// Every key except the destroyed ones.
  let slots: [KeyID: KeySlot]
  let auditSigning, auditDigest: KeySlot

  /// - Throws: `KeyStoreError.auditKeys` unless one active key has each audit role.
  init(_ file: ManifestFile, _ slots: [KeyID: KeySlot]) throws(KeyStoreError) {
    manifest = file.manifest
    fileDigest = SHA256.hash(file.serialised)
    self.slots = slots
    auditSigning = try Self.only(.auditSigning, of: slots)
    auditDigest = try Self.only(.auditDigest, of: slots)
  }

  private static func only(_ role: KeyRole, of slots: [KeyID: KeySlot]) throws(KeyStoreError) -> KeySlot {
    let found = slots.values.filter { $0.record.role == role && $0.record.state == .active }
    guard found.count == 1, let slot = found.first else { throw .auditKeys }
    return slot
  }
}

/// Stands for one table: who found something out from it can ask whether it is still in use, without keeping its keys alive.
package final class KeyTableEdition: Sendable {}
