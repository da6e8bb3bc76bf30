package import CryptoBackend
package import Encoding
package import KeyBlock
package import Policy
internal import SecretMemory
package import Wire

/// An unlocked store: every key is in the arena, the KEK is not.
///
/// Any number of threads may read; they take a reference to an immutable table, which a change replaces as a whole.
/// After `KeyStoreError.storage` from a change, memory and disk may differ: give the store up and open it anew.
package final class KeyStore: Sendable {
  /// Names in the directory that the manifest does not account for: remains of a crash, or something foreign. They are never read.
  package let strays: [String]
  let keys: StoreKeys
  let directory: StoreDirectory
  /// Held during a change, so that changes come one after another.
  let changing = Lock()
  let table: Guarded<KeyTable>
  let registered: Guarded<CustodianRegister?>
  /// In which people change it now.
  let ceremony = Guarded<CeremonyReference?>(nil)
  let ledgers = OTPLedgers()
  let counters = DurableCounters()

  init(_ table: KeyTable, _ keys: consuming StoreKeys, _ directory: StoreDirectory, _ custodians: CustodianRegister?, strays: [String]) {
    self.table = Guarded(table)
    registered = Guarded(custodians)
    self.keys = keys
    self.directory = directory
    self.strays = strays
  }

  package var kind: StoreKind { table.value.manifest.kind }

  /// By which the KEK is recognised.
  package var kekCheck: KeyCheckValue { table.value.manifest.kek }

  /// One more with every change on disk.
  package var generation: Int64 { table.value.manifest.generation }

  /// Where the audit log stood at the last change; the caller compares it with the log to see a rollback of either.
  package var anchor: AuditAnchor { table.value.manifest.anchor }

  /// How many times the KEK was changed, and how many registers of custodians there were.
  package var shares: (kekNumber: Int, registers: Int) {
    let manifest = table.value.manifest
    return (manifest.kekNumber, manifest.registers)
  }

  /// The machine that the store was last opened on, where it could be told. [KS-MACHINE]
  package var machine: Digest256? { table.value.manifest.machine }

  /// Every key there is or was, ascending by label, with its uses up to now.
  package var records: [KeyRecord] {
    let table = table.value
    return table.manifest.keys.map(table.live).sorted { $0.label.text < $1.label.text }
  }

  package func record(for id: KeyID) -> KeyRecord? {
    let table = table.value
    return table.slots[id]?.liveRecord ?? table.manifest.keys.first { $0.id == id }
  }

  package func record(labelled label: KeyLabel) -> KeyRecord? {
    let table = table.value
    return table.manifest.keys.first { $0.label == label }.map(table.live)
  }

  /// The DER of a key's certificate, where the key is there and has one.
  package func certificate(of id: KeyID) -> Certificate? { table.value.slots[id]?.certificate }

  /// The key that a live grant names, if its role and state serve the grant's operation: the one way to a caller's key.
  ///
  /// Each way to a key's material in this file counts one use durably where the key's uses are limited, so that none is had
  /// without being counted. [KS-USE-LIMIT]
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongRole` or `.wrongState` [KS-USE-GRANT]; `.invocationsUsedUp`, `.counter`, `.storage`.
  package func key(for grant: borrowing Grant, at now: Timestamp) throws(KeyStoreError) -> KeySlot {
    let slot = try slot(for: grant, at: now)
    if grant.opcode == .seal {
      // Every sealing under a nonce drawn at random counts, limit or not. [KS-COUNTER]
      try countInvocation(of: slot.record.id)
    } else if !grant.opcode.preparesKey {
      try countUse(of: slot)
    }
    return slot
  }

  private func slot(for grant: borrowing Grant, at now: Timestamp) throws(KeyStoreError) -> KeySlot {
    guard let id = grant.key, let slot = table.value.slots[id] else { throw .unknownKey }
    guard slot.record.role.serves(grant.opcode) else { throw .wrongRole }
    let state = slot.record.servingState(at: now)
    guard state.serves(grant.opcode) else { throw .wrongState(state) }
    return slot
  }

  /// The key that the daemon's configuration puts beside the one that a live grant names, to make new data with.
  ///
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongRole` or `.wrongState`. [KS-USE-BESIDE]
  package func key(_ label: KeyLabel, of role: KeyRole, beside grant: borrowing Grant, at now: Timestamp) throws(KeyStoreError) -> KeySlot {
    _ = try slot(for: grant, at: now)
    let slot = try slot(labelled: label)
    guard slot.record.role == role else { throw .wrongRole }
    let state = slot.record.servingState(at: now)
    guard state == .active else { throw .wrongState(state) }
    try countUse(of: slot)
    return slot
  }

  /// A further key, which the request's body names: the live grant must cover it, too. [KS-USE-FURTHER]
  ///
  /// - Parameter opcode: what the key's state has to serve.
  /// - Throws: `KeyStoreError.unknownKey`, for one out of the grant's reach, too; `.wrongRole`, `.wrongState`; `.invocationsUsedUp`, `.counter`, `.storage`.
  package func furtherKey(
    _ id: KeyID, of role: KeyRole, serving opcode: Opcode, for grant: borrowing Grant, at now: Timestamp
  ) throws(KeyStoreError) -> KeySlot {
    guard let slot = table.value.slots[id], grant.covers(slot.record.label.text) else { throw .unknownKey }
    guard slot.record.role == role else { throw .wrongRole }
    let state = slot.record.servingState(at: now)
    guard state.serves(opcode) else { throw .wrongState(state) }
    try countUse(of: slot)
    return slot
  }

  /// Counts one use durably where a key's uses are limited. [KS-USE-LIMIT]
  ///
  /// - Throws: `KeyStoreError.invocationsUsedUp`, `.counter`, `.storage`.
  func countUse(of slot: KeySlot) throws(KeyStoreError) {
    if slot.record.useLimit != nil { try countInvocation(of: slot.record.id) }
  }

  /// Proves that a live grant is for secrets that came of its key: its role lends them to the grant's operation.
  ///
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongRole` or `.wrongState`. [KS-USE-GRANT]
  package func checkOrigin(for grant: borrowing Grant) throws(KeyStoreError) {
    guard let id = grant.key, let slot = table.value.slots[id] else { throw .unknownKey }
    guard slot.record.role.servesHandles(grant.opcode) else { throw .wrongRole }
    guard slot.record.state == .active || slot.record.state == .retired else { throw .wrongState(slot.record.state) }
  }

  /// The key as policy sees it, or nil where there is none that could be used.
  package func target(_ id: KeyID) -> KeyTarget? {
    table.value.slots[id].map { KeyTarget(id: id, label: $0.record.label.text) }
  }

  /// Whether an operation on this key works with its material for what the key is there for. [KS-USES]
  package func isUse(_ opcode: Opcode, of id: KeyID) -> Bool {
    table.value.slots[id].map { $0.record.role.serves(opcode) && !opcode.preparesKey } ?? false
  }

  /// The daemon's own keys, which no caller can be granted.
  package var auditSigning: KeySlot { table.value.auditSigning }
  package var auditDigest: KeySlot { table.value.auditDigest }

  /// The store without its keys; those in memory are wiped when the last reference to them goes.
  package func locked() throws(KeyStoreError) -> LockedKeyStore {
    ledgers.close()
    return try LockedKeyStore(directory)
  }
}

extension KeyTable {
  fileprivate func live(_ record: KeyRecord) -> KeyRecord { slots[record.id]?.liveRecord ?? record }
}
