package import Crypto
package import Format
import Host

extension KeyStore {
  /// Moves a key to its next state; destroying a key removes its files once the manifest does not
  /// list them.
  ///
  /// - Parameter persons: who asked for it, and who approved.
  /// - Throws: `KeyStoreError.unknownKey`; `.wrongState` if the key cannot go from its state to
  ///   `next`, or its period does not allow it now; `.auditKeys` for an audit key. [KS-STATE-ORDER]
  ///   [KS-PERIOD]
  package func setState(
    _ next: KeyState, of id: KeyID, at now: Timestamp, by persons: Persons? = nil,
    anchor: AuditAnchor
  ) throws(KeyStoreError) {
    try move(id, to: next, at: now, by: persons, anchor) { _ in }
  }

  /// Destroys a key whatever its state, in one change, as people do at a ceremony: a crash between
  /// two would leave a state of which the log knows nothing. [KS-DESTROY]
  ///
  /// - Throws: `KeyStoreError.unknownKey`; `.wrongState` if it is destroyed already.
  package func destroy(_ id: KeyID, at now: Timestamp, anchor: AuditAnchor) throws(KeyStoreError) {
    try move(id, to: .destroyed, at: now, by: nil, anchor) { record in
      if record.state == .suspended { record.resume() }
      if record.state == .active { record.enter(.retired, at: now, nil) }
    }
  }

  /// - Parameter prepare: takes the key through the states before `next`, in the same change.
  private func move(
    _ id: KeyID, to next: KeyState, at now: Timestamp, by persons: Persons?, _ anchor: AuditAnchor,
    after prepare: (inout KeyRecord) -> Void
  ) throws(KeyStoreError) {
    let moment = next == .destroyed ? now : nil
    try change(anchor, by: persons, forgetsAt: moment) { (manifest, slots) throws(KeyStoreError) in
      guard let slot = slots[id] else { throw .unknownKey }
      var record = slot.record
      prepare(&record)
      guard record.mayEnter(next, at: now) else { throw .wrongState(record.state) }
      record.enter(next, at: now, persons)
      if next == .destroyed { record.uses = slot.uses }
      manifest.replace(record)
      slots[id] = next == .destroyed ? nil : slot.with(record)
    }
    // [KS-DESTROY] The manifest is durable by now: a crash here leaves a block that the next unlock
    // removes.
    if next == .destroyed { try removeFiles(of: id) }
  }

  /// Returns a suspended key to its previous state. [KS-SUSPEND]
  ///
  /// - Throws: `KeyStoreError.unknownKey`; `.wrongState` if the key is not suspended.
  package func resume(_ id: KeyID, by persons: Persons? = nil, anchor: AuditAnchor)
    throws(KeyStoreError)
  {
    try change(anchor, by: persons) { (manifest, slots) throws(KeyStoreError) in
      guard let slot = slots[id] else { throw .unknownKey }
      var record = slot.record
      guard record.state == .suspended else { throw .wrongState(record.state) }
      record.resume()
      manifest.replace(record)
      slots[id] = slot.with(record)
    }
  }

  /// Whether the key's state and period allow a step now, whoever asks for it.
  ///
  /// - Parameter next: nil to resume a suspended key.
  package func canMove(_ id: KeyID, to next: KeyState?, at now: Timestamp) -> Bool {
    guard let record = table.value.slots[id]?.record else { return false }
    guard let next else { return record.state == .suspended }
    return record.mayEnter(next, at: now)
  }

  /// Removes the files that a destroyed key no longer needs.
  func removeFiles(of id: KeyID) throws(KeyStoreError) {
    try directory.remove(.block(id))
    try directory.remove(.ledger(id))
    try directory.remove(.counter(id))
  }

  /// Adds the uses that the audit log shows beyond those in the manifest (`KeyUses.auditSize`).
  package func restore(uses: UInt64, lastUse: Timestamp, for id: KeyID) {
    table.value.slots[id]?.count(uses, last: lastUse)
  }

  /// Counts a use of each, once their records are in the audit log; a key that was used twice is
  /// there twice.
  package func recordUses(of ids: [KeyID], at now: Timestamp) {
    let slots = table.value.slots
    for (id, uses) in ids.reduce(into: [KeyID: UInt64](), { $0[$1, default: 0] += 1 }) {
      slots[id]?.count(uses, last: now)
    }
  }

  /// Whether only the log's records tell of some uses.
  package var hasUncountedUses: Bool { table.value.slots.values.contains { $0.usesSince > 0 } }

  /// Writes the use counts to the manifest; `anchor` must cover exactly the uses counted, so no use
  /// may be counted meanwhile. [KS-USES]
  package func checkpointCounters(anchor: AuditAnchor) throws(KeyStoreError) {
    try change(anchor) { (manifest, slots) throws(KeyStoreError) in
      count(&manifest, &slots, upTo: anchor)
    }
  }

  /// Finishes an unlocking: the log has recorded what was changed before, and the store now belongs
  /// to this machine.
  ///
  /// Called before the first request; writes nothing if nothing changes.
  package func finishUnlocking(on machine: Digest256?, anchor: AuditAnchor) throws(KeyStoreError) {
    let before = table.value.manifest
    guard !before.unrecorded.isEmpty || before.machine != machine else { return }
    try change(anchor) { (manifest, slots) throws(KeyStoreError) in
      manifest.unrecorded = []
      manifest.machine = machine
      count(&manifest, &slots, upTo: anchor)
    }
  }

  private func count(
    _ manifest: inout Manifest, _ slots: inout [KeyID: KeySlot], upTo anchor: AuditAnchor
  ) {
    for slot in slots.values {
      let record = counted(slot, upTo: anchor)
      manifest.replace(record)
      slots[record.id] = slot.with(record)
    }
  }

  /// - Throws: `KeyStoreError.changedOnDisk` unless the manifest's file is what this process wrote
  ///   or read last. [KS-MANIFEST-SAME]
  func checkManifest(of table: KeyTable) throws(KeyStoreError) {
    guard try directory.has(.manifest, table.file.serialised) else { throw .changedOnDisk }
  }

  /// Lets no request change anything any more, once a change that is under way is done.
  package func close() { changing.withLock { isClosed.change { $0 = true } } }

  /// Makes one change of the store: `body` writes the files of new keys, then the manifest is
  /// replaced and makes them count. [KS-WRITE-ORDER]
  ///
  /// - Parameters:
  ///   - persons: who asked for it, if anybody did; then the manifest lists it as unrecorded.
  ///   - isGenerated: whether the change adds a key that was made here.
  ///   - accepts: whether it is the change that accepts the mark of a restore; before it there is
  ///     no other. [KS-RESTORE-MARK]
  ///   - now: if the keys whose retention is over then leave the manifest.
  func change(
    _ anchor: AuditAnchor, by persons: Persons? = nil, isGenerated: Bool = false,
    forgetsAt now: Timestamp? = nil, accepts: Bool = false,
    _ body: (inout Manifest, inout [KeyID: KeySlot]) throws(KeyStoreError) -> Void
  ) throws(KeyStoreError) {
    try changing.withLock { () throws(KeyStoreError) in
      guard persons == nil || !isClosed.value else { throw .closed }
      guard accepts || restoredMark == nil else { throw .restoredUnopened }
      let recorded = recorded.value
      let before = table.value
      try checkManifest(of: before)
      var manifest = before.manifest
      var slots = before.slots
      manifest.generation += 1
      manifest.anchor = anchor
      try body(&manifest, &slots)
      manifest.drop(recorded: recorded)
      let origin =
        ceremony.value.map(UnrecordedChange.Origin.ceremony)
        ?? persons.map { .request($0, auditSize: anchor.size) }
      manifest.note(changesSince: before.manifest, origin, isGenerated: isGenerated)
      let gone = try now.map { (now) throws(KeyStoreError) in try forget(&manifest, at: now) } ?? []
      let file = try ManifestFile.make(manifest, after: before.file, keys)
      let after = try KeyTable(file, slots, after: before)
      try directory.write(.manifest, file.serialised)
      table.change { $0 = after }
      former.change { $0.formUnion(gone) }
      self.recorded.change { $0.removeFirst(recorded.count) }
    }
  }
}

extension ManifestFile {
  /// - Parameter earlier: what the store has.
  package static func make(
    _ manifest: Manifest, after earlier: ManifestFile? = nil, _ keys: borrowing StoreKeys
  ) throws(KeyStoreError) -> ManifestFile {
    try onCrypto(ManifestFile(manifest, after: earlier, key: keys.manifest.bytes))
  }
}

extension KeyRecord {
  fileprivate func mayEnter(_ next: KeyState, at now: Timestamp) -> Bool {
    state.mayBecome(next) && (next != .active || isInPeriod(now))
  }

  /// The key's state, or if it is suspended, the state before that.
  var lifeState: KeyState {
    guard state == .suspended else { return state }
    if retired != nil { return .retired }
    return activated != nil ? .active : .preActive
  }

  mutating func resume() {
    state = lifeState
    suspended = nil
    persons[.suspended] = nil
  }

  mutating func enter(_ next: KeyState, at now: Timestamp, _ who: Persons?) {
    suspended = nil
    persons[.suspended] = nil
    state = next
    let step: KeyStep
    switch next {
    case .preActive: return
    case .active: (activated, step) = (now, .activated)
    case .suspended: (suspended, step) = (now, .suspended)
    case .retired: (retired, step) = (now, .retired)
    case .compromised: (compromised, step) = (now, .compromised)
    case .destroyed: (destroyed, step) = (now, .destroyed)
    }
    persons[step] = who
  }
}
