// KeyStore: sealed keys on the disk and in the arena, and each key's life.
// It knows the manifest, roles, states, counters, one-time codes and custodians.
// It must not know requests, sockets or the log, and gives a key only to a `Grant`.
// Called by Operations and Service; by Ceremony while no daemon runs.

package import Crypto
package import Format
import Host
package import Policy

/// An unlocked store: every key is in the arena, but the KEK is not.
///
/// Copy-on-write: any number of threads read an immutable table, and a change replaces the whole
/// table. After a change has failed with `KeyStoreError.storage`, memory and disk may differ: drop
/// the store and open it anew.
package final class KeyStore: Sendable {
  /// Files in the directory that the manifest does not list, left by a crash or put there by
  /// somebody; they are never read.
  package let strays: [String]
  let keys: StoreKeys
  let directory: StoreDirectory
  /// Held during a change, so that changes come one after another.
  let changing = Lock()
  let table: Guarded<KeyTable>
  let registered: Guarded<CustodianRegister?>
  /// The keys that left the manifest after they were destroyed. [KS-FORMER]
  let former: Guarded<Set<KeyID>>
  /// See `restoredMark`.
  let unaccepted: Guarded<RestoredMark?>
  /// For how many seconds a destroyed key stays in the manifest; nil for ever.
  let retention = Guarded<Int64?>(nil)
  /// The ceremony that is changing the store, if any.
  let ceremony = Guarded<CeremonyReference?>(nil)
  /// Changes that the manifest lists as unrecorded, and that the log has recorded by now, in the
  /// order in which it did.
  let recorded = Guarded<[UnrecordedChange.Kind]>([])
  /// Whether requests may change nothing any more; guarded by `changing`.
  let isClosed = Guarded(false)
  let ledgers = OTPLedgers()
  let counters = DurableCounters()

  init(
    _ table: KeyTable, _ keys: consuming StoreKeys, _ directory: StoreDirectory,
    _ custodians: CustodianRegister?, _ former: Set<KeyID>,
    _ unaccepted: RestoredMark?, strays: [String]
  ) {
    self.unaccepted = Guarded(unaccepted)
    self.table = Guarded(table)
    registered = Guarded(custodians)
    self.former = Guarded(former)
    self.keys = keys
    self.directory = directory
    self.strays = strays
  }

  /// The check value that identifies the KEK.
  package var kekCheck: KeyCheckValue { table.value.manifest.kek }

  /// The audit log's size and root at the last change; the caller compares them with the log to
  /// detect a rollback of either.
  package var anchor: AuditAnchor { table.value.manifest.anchor }

  /// See `Manifest.readFrom`.
  package var readFrom: UInt64 { table.value.manifest.readFrom }

  /// How many times the KEK was changed, and how many registers of custodians were written.
  package var shares: (kekNumber: Int, registers: Int) {
    let manifest = table.value.manifest
    return (manifest.kekNumber, manifest.registers)
  }

  /// The machine on which the store was last opened, if known. [KS-MACHINE]
  package var machine: Digest256? { table.value.manifest.machine }

  /// The records of all keys, destroyed ones included, sorted by label, with the uses up to now.
  package var records: [KeyRecord] {
    let table = table.value
    return table.manifest.keys.map(table.live).sorted { $0.label.text < $1.label.text }
  }

  /// Whether the key was here, but is destroyed, and may have left the manifest.
  package func wasDestroyed(_ id: KeyID) -> Bool {
    former.read { $0.contains(id) } || record(for: id)?.state == .destroyed
  }

  package func record(for id: KeyID) -> KeyRecord? {
    let table = table.value
    return table.slots[id]?.liveRecord ?? table.manifest.keys.first { $0.id == id }
  }

  /// The certificate of a key, if the key exists and has one.
  package func certificate(of id: KeyID) -> Certificate? { table.value.slots[id]?.certificate }

  /// The key that a live grant names, if its role and state serve the grant's operation. Callers
  /// get at their keys only here.
  ///
  /// Every function in this file that returns a key's material first counts one use durably if the
  /// key has a use limit. [KS-USE-LIMIT]
  /// - Parameters:
  ///   - isCounted: false for a request whose use was counted before.
  ///   - noteUse: is told of a key whose use was counted, so that it can be given back.
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongRole` or `.wrongState` [KS-USE-GRANT];
  ///   `.invocationsUsedUp`, `.counter`, `.storage`.
  package func key(
    for grant: borrowing Grant, at now: Timestamp, isCounted: Bool = true,
    _ noteUse: (KeyID) -> Void = { _ in }
  ) throws(KeyStoreError) -> KeySlot {
    let slot = try slot(for: grant, at: now)
    guard isCounted else { return slot }
    if grant.opcode == .seal {
      // Every sealing with a random nonce counts, even without a use limit. [KS-COUNTER]
      try countInvocation(of: slot.record.id)
      noteUse(slot.record.id)
    } else if !grant.opcode.preparesKey {
      try countUse(of: slot, noteUse)
    }
    return slot
  }

  private func slot(for grant: borrowing Grant, at now: Timestamp) throws(KeyStoreError) -> KeySlot
  {
    try slot(grant.key, serving: grant.opcode, at: now)
  }

  private func slot(_ id: KeyID?, serving opcode: Opcode, at now: Timestamp) throws(KeyStoreError)
    -> KeySlot
  {
    guard let id, let slot = slot(id) else { throw .unknownKey }
    guard slot.record.role.serves(opcode) else { throw .wrongRole }
    let state = slot.record.servingState(at: now)
    guard state.serves(opcode) else { throw .wrongState(state) }
    return slot
  }

  /// The key of a request that a rule would cover, to find what it opens before that is claimed:
  /// what is read with it leaves nowhere, and is no use. [KS-USE-OUTLOOK]
  package func key(for outlook: borrowing Outlook, at now: Timestamp) throws(KeyStoreError)
    -> KeySlot
  {
    try slot(outlook.key, serving: outlook.opcode, at: now)
  }

  /// A key that the daemon's configuration pairs with the one that a live grant names, for making
  /// new data.
  ///
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongRole` or `.wrongState`. [KS-USE-BESIDE]
  package func key(
    _ label: KeyLabel, of role: KeyRole, beside grant: borrowing Grant, at now: Timestamp,
    _ noteUse: (KeyID) -> Void = { _ in }
  ) throws(KeyStoreError) -> KeySlot {
    _ = try slot(for: grant, at: now)
    return try use(slot(labelled: label), at: now, noteUse) { $0 == role }
  }

  /// The key of the partner to whom a live grant releases. [KS-USE-PARTNER]
  ///
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongRole`, or `.wrongState`, also if its time is
  ///   over; `.invocationsUsedUp`, `.counter`, `.storage`.
  package func partnerKey(
    _ label: KeyLabel, for grant: borrowing Grant, at now: Timestamp, _ noteUse: (KeyID) -> Void
  ) throws(KeyStoreError) -> KeySlot {
    _ = try slot(for: grant, at: now)
    return try usePartners(slot(labelled: label), at: now, noteUse)
  }

  /// Likewise, one that the request's body names: the live grant must cover it, too.
  /// [KS-USE-FURTHER]
  package func partnerKey(
    _ id: KeyID, for grant: borrowing Grant, at now: Timestamp, _ noteUse: (KeyID) -> Void
  ) throws(KeyStoreError) -> KeySlot {
    try usePartners(slot(id, coveredBy: grant), at: now, noteUse)
  }

  /// The key with which a fleet's hosts make the digests of claims; nil if there is no active one.
  /// [KS-USE-FLEET]
  package func fleetKey(labelled label: KeyLabel, at now: Timestamp) -> KeySlot? {
    guard let slot = try? slot(labelled: label), slot.record.role == .fleet,
      slot.record.servingState(at: now) == .active
    else { return nil }
    return slot
  }

  /// A second key, named in the request's body: the live grant must cover it, too. [KS-USE-FURTHER]
  ///
  /// - Parameter opcode: the operation that the key's state must serve.
  /// - Throws: `KeyStoreError.unknownKey`, also if the grant does not cover the key; `.wrongRole`,
  ///   `.wrongState`; `.invocationsUsedUp`, `.counter`, `.storage`.
  package func furtherKey(
    _ id: KeyID, of role: KeyRole, serving opcode: Opcode, for grant: borrowing Grant,
    at now: Timestamp, _ noteUse: (KeyID) -> Void = { _ in }
  ) throws(KeyStoreError) -> KeySlot {
    try use(
      slot(id, coveredBy: grant), at: now, noteUse, as: { $0 == role }, in: { $0.serves(opcode) })
  }

  private func slot(_ id: KeyID, coveredBy grant: borrowing Grant) throws(KeyStoreError) -> KeySlot
  {
    guard let slot = slot(id), grant.covers(slot.record.label.text) else { throw .unknownKey }
    return slot
  }

  /// Uses a key besides the one that a grant names: one of the wanted role, in a state that serves,
  /// whose use is counted.
  private func use(
    _ slot: KeySlot, at now: Timestamp, _ noteUse: (KeyID) -> Void, as isWanted: (KeyRole) -> Bool,
    in isServing: (KeyState) -> Bool = { $0 == .active }
  ) throws(KeyStoreError) -> KeySlot {
    guard isWanted(slot.record.role) else { throw .wrongRole }
    let state = slot.record.servingState(at: now)
    guard isServing(state) else { throw .wrongState(state) }
    try countUse(of: slot, noteUse)
    return slot
  }

  private func usePartners(_ slot: KeySlot, at now: Timestamp, _ noteUse: (KeyID) -> Void)
    throws(KeyStoreError) -> KeySlot
  {
    let slot = try use(slot, at: now, noteUse, as: \.isPartners)
    // Each encryption with a random nonce counts, even without a use limit. [KS-COUNTER]
    if slot.record.role == .partnerEncryptionAES, slot.record.useLimit == nil {
      try countInvocation(of: slot.record.id)
      noteUse(slot.record.id)
    }
    return slot
  }

  /// Durably counts one use, if the key has a use limit. [KS-USE-LIMIT]
  ///
  /// - Throws: `KeyStoreError.invocationsUsedUp`, `.counter`, `.storage`.
  func countUse(of slot: KeySlot, _ noteUse: (KeyID) -> Void = { _ in }) throws(KeyStoreError) {
    guard slot.record.useLimit != nil else { return }
    try countInvocation(of: slot.record.id)
    noteUse(slot.record.id)
  }

  /// Checks that the grant's key may lend secrets derived with it to the grant's operation.
  ///
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongRole` or `.wrongState`. [KS-USE-GRANT]
  package func checkOrigin(for grant: borrowing Grant) throws(KeyStoreError) {
    guard let id = grant.key, let slot = slot(id) else { throw .unknownKey }
    guard slot.record.role.servesHandles(grant.opcode) else { throw .wrongRole }
    guard slot.record.state == .active || slot.record.state == .retired else {
      throw .wrongState(slot.record.state)
    }
  }

  /// Which table is in use: another one after every change of the store.
  package var edition: KeyTableEdition { table.read { $0.edition } }

  package func isCurrent(_ edition: KeyTableEdition) -> Bool {
    table.read { $0.edition === edition }
  }

  /// The key as policy sees it; nil if there is no such usable key.
  package func target(_ id: KeyID) -> KeyTarget? {
    slot(id).map { KeyTarget(id: id, label: $0.record.label.text) }
  }

  private func slot(_ id: KeyID) -> KeySlot? { table.read { $0.slots[id] } }

  /// Whether an operation on this key counts as use: it works with the key's material for its
  /// purpose. [KS-USES]
  package func isUse(_ opcode: Opcode, of id: KeyID) -> Bool {
    slot(id).map { $0.record.role.serves(opcode) && !opcode.preparesKey } ?? false
  }

  /// The daemon's own keys, which no grant can cover.
  package var auditSigning: KeySlot { table.value.auditSigning }
  package var auditDigest: KeySlot { table.value.auditDigest }

  /// The store without its keys, which are wiped when their last references are dropped.
  package func locked() throws(KeyStoreError) -> LockedKeyStore {
    ledgers.close()
    return try LockedKeyStore(directory)
  }
}

extension KeyTable {
  fileprivate func live(_ record: KeyRecord) -> KeyRecord { slots[record.id]?.liveRecord ?? record }
}
