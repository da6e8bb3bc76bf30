import Format
import Host

/// One generation of a store in memory: an immutable snapshot, replaced as a whole.
final class KeyTable: Sendable {
  let edition = KeyTableEdition()
  let file: ManifestFile
  /// Every key except the destroyed ones.
  let slots: [KeyID: KeySlot]
  let auditSigning, auditDigest: KeySlot

  /// - Throws: `KeyStoreError.auditKeys` unless one active key has each audit role.
  convenience init(_ file: ManifestFile, _ slots: [KeyID: KeySlot]) throws(KeyStoreError) {
    try self.init(file, slots, auditKeysAmong: slots.values)
  }

  /// The generation after `earlier`, which has its audit keys: no change adds one.
  convenience init(_ file: ManifestFile, _ slots: [KeyID: KeySlot], after earlier: KeyTable)
    throws(KeyStoreError)
  {
    try self.init(
      file, slots,
      auditKeysAmong: [earlier.auditSigning, earlier.auditDigest].compactMap { slots[$0.record.id] }
    )
  }

  private init(
    _ file: ManifestFile, _ slots: [KeyID: KeySlot], auditKeysAmong some: some Sequence<KeySlot>
  ) throws(KeyStoreError) {
    self.file = file
    self.slots = slots
    auditSigning = try Self.only(.auditSigning, of: some)
    auditDigest = try Self.only(.auditDigest, of: some)
  }

  var manifest: Manifest { file.manifest }

  private static func only(_ role: KeyRole, of slots: some Sequence<KeySlot>) throws(KeyStoreError)
    -> KeySlot
  {
    let found = slots.filter { $0.record.role == role && $0.record.state == .active }
    guard found.count == 1, let slot = found.first else { throw .auditKeys }
    return slot
  }
}

/// Stands for one table: who found something out from it can ask whether it is still in use,
/// without keeping its keys alive.
package final class KeyTableEdition: Sendable {}

/// A value behind a lock.
final class Guarded<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var guarded: Value

  init(_ value: Value) { guarded = value }

  var value: Value { lock.withLock { guarded } }

  /// Without a copy, whose reference counts all threads would write.
  func read<R>(_ body: (borrowing Value) -> R) -> R { lock.withLock { body(guarded) } }

  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&guarded) } }
}
