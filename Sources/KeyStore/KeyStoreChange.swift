package import CryptoBackend
package import Encoding
internal import SecretMemory
package import Wire

extension KeyStore {
  /// Moves a key on in its life; destroying removes its block once the manifest no longer counts it.
  ///
  /// - Parameter persons: who asked for it, and who approved.
  /// - Throws: `KeyStoreError.unknownKey`; `.wrongState` where the key may not go there from where it is, or not yet, or not any more;
  ///   `.auditKeys` for an audit key. [KS-STATE-ORDER] [KS-PERIOD]
  package func setState(
    _ next: KeyState, of id: KeyID, at now: Timestamp, by persons: Persons? = nil, anchor: AuditAnchor
  ) throws(KeyStoreError) {
    try change(anchor) { (manifest, slots) throws(KeyStoreError) in
      guard let slot = slots[id] else { throw .unknownKey }
      var record = slot.record
      guard record.mayEnter(next, at: now) else { throw .wrongState(record.state) }
      record.enter(next, at: now, persons)
      if next == .destroyed { record.uses = slot.uses }
      manifest.replace(record)
      slots[id] = next == .destroyed ? nil : slot.with(record)
    }
    // [KS-DESTROY] The manifest is durable: a crash here leaves a block that the next unlock removes.
    if next == .destroyed { try removeFiles(of: id) }
  }

  /// Lets a suspended key be again what it was before. [KS-SUSPEND]
  ///
  /// - Throws: `KeyStoreError.unknownKey`; `.wrongState` of a key that is not suspended.
  package func resume(_ id: KeyID, anchor: AuditAnchor) throws(KeyStoreError) {
    try change(anchor) { (manifest, slots) throws(KeyStoreError) in
      guard let slot = slots[id] else { throw .unknownKey }
      var record = slot.record
      guard record.state == .suspended else { throw .wrongState(record.state) }
      record.resume()
      manifest.replace(record)
      slots[id] = slot.with(record)
    }
  }

  /// Whether a step would be refused by the key's state or period now, whoever asks for it.
  ///
  /// - Parameter next: nil to resume a suspended key.
  package func canMove(_ id: KeyID, to next: KeyState?, at now: Timestamp) -> Bool {
    guard let record = table.value.slots[id]?.record else { return false }
    guard let next else { return record.state == .suspended }
    return record.mayEnter(next, at: now)
  }

  /// What a destroyed key has no use for.
  func removeFiles(of id: KeyID) throws(KeyStoreError) {
    try directory.remove(.block(id))
    try directory.remove(.ledger(id))
    try directory.remove(.counter(id))
  }

  /// Adds uses that the audit log has beyond those the manifest counted (`KeyUses.auditSize`).
  package func restore(uses: UInt64, lastUse: Timestamp, for id: KeyID) { table.value.slots[id]?.count(uses, last: lastUse) }

  /// Counts one use, when its record is in the audit log.
  package func recordUse(of id: KeyID, at now: Timestamp) { restore(uses: 1, lastUse: now, for: id) }

  /// Writes the counts of uses while nothing is counted: `anchor` must cover exactly what was. [KS-USES]
  package func checkpointCounters(anchor: AuditAnchor) throws(KeyStoreError) {
    try change(anchor) { (manifest, slots) throws(KeyStoreError) in count(&manifest, &slots, upTo: anchor) }
  }

  /// What an unlocking leaves: the log has been told of everything that ceremonies changed, and the store is at home on this machine.
  ///
  /// Called before the first request; nothing is written where nothing changes.
  package func settle(on machine: Digest256?, anchor: AuditAnchor) throws(KeyStoreError) {
    let before = table.value.manifest
    guard !before.unrecorded.isEmpty || before.machine != machine else { return }
    try change(anchor) { (manifest, slots) throws(KeyStoreError) in
      (manifest.unrecorded, manifest.machine) = ([], machine)
      count(&manifest, &slots, upTo: anchor)
    }
  }

  private func count(_ manifest: inout Manifest, _ slots: inout [KeyID: KeySlot], upTo anchor: AuditAnchor) {
    for slot in slots.values {
      let record = slot.counted(upTo: anchor, reserved: counters.reserved(of: slot.record.id))
      manifest.replace(record)
      slots[record.id] = slot.with(record)
    }
  }

  /// One change of the store: `body` writes the files of new keys, then the manifest makes them count. [KS-WRITE-ORDER]
  func change(
    _ anchor: AuditAnchor, _ body: (inout Manifest, inout [KeyID: KeySlot]) throws(KeyStoreError) -> Void
  ) throws(KeyStoreError) {
    try changing.withLock { () throws(KeyStoreError) in
      let before = table.value
      guard let text = try directory.read(.manifest), SHA256.hash(text) == before.fileDigest else { throw .changedOnDisk }
      var (manifest, slots) = (before.manifest, before.slots)
      manifest.generation += 1
      manifest.anchor = anchor
      try body(&manifest, &slots)
      manifest.note(changesSince: before.manifest, in: ceremony.value)
      let file = try ManifestFile.make(manifest, keys)
      let after = try KeyTable(file, slots)
      try directory.write(.manifest, file.serialised)
      table.change { $0 = after }
    }
  }
}

extension ManifestFile {
  static func make(_ manifest: Manifest, _ keys: borrowing StoreKeys) throws(KeyStoreError) -> ManifestFile {
    do throws(CryptoError) {
      return try ManifestFile(manifest, key: keys.manifest.bytes)
    } catch {
      throw .crypto(error)
    }
  }
}

extension KeyRecord {
  fileprivate func mayEnter(_ next: KeyState, at now: Timestamp) -> Bool { state.mayBecome(next) && (next != .active || isInPeriod(now)) }

  /// What the key's life had come to, a suspension aside.
  var lifeState: KeyState {
    guard state == .suspended else { return state }
    if retired != nil { return .retired }
    return activated != nil ? .active : .preActive
  }

  mutating func resume() {
    state = lifeState
    (suspended, persons[.suspended]) = (nil, nil)
  }

  mutating func enter(_ next: KeyState, at now: Timestamp, _ who: Persons?) {
    (suspended, persons[.suspended]) = (nil, nil)
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
