package import Format
internal import Host

/// The ledgers of an unlocked store, each opened at its first use.
final class OTPLedgers: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var open: [KeyID: OTPLedger] = [:]
  private var isClosed = false

  func ledger(_ id: KeyID, _ make: () throws(KeyStoreError) -> OTPLedger) throws(KeyStoreError) -> OTPLedger {
    try lock.withLock { () throws(KeyStoreError) in
      guard !isClosed else { throw .ledger(id) }
      if let ledger = open[id] { return ledger }
      let ledger = try make()
      open[id] = ledger
      return ledger
    }
  }

  /// Lets `read` read a ledger's file while no change of it is under way.
  func betweenChanges<R>(of id: KeyID, _ read: () throws(KeyStoreError) -> R) throws(KeyStoreError) -> R {
    try lock.withLock { () throws(KeyStoreError) in
      guard let ledger = open[id] else { return try read() }
      return try ledger.betweenChanges(read)
    }
  }

  /// Closes all ledgers: requests still under way change nothing more, as another object may own the files by now.
  func close() {
    lock.withLock {
      isClosed = true
      for ledger in open.values { ledger.close() }
      open = [:]
    }
  }
}

extension KeyStore {
  /// The ledger of a key for codes.
  ///
  /// - Throws: `KeyStoreError.ledger`, `.ledgerOlder`, `.codesNotRestored`, `.storage`, `.crypto`.
  package func ledger(of slot: KeySlot) throws(KeyStoreError) -> OTPLedger {
    guard case .code(let code) = slot.record.otp else { throw .wrongRole }
    return try ledgers.ledger(slot.record.id) { () throws(KeyStoreError) in
      try OTPLedger(slot.record.id, code, atLeast: slot.uses.changes, directory, keys)
    }
  }

  /// As `OTPLedger.update`, but also returns how many changes the ledger has had, for the audit record.
  package func update<R, E: Error>(
    _ subject: Span<UInt8>, of slot: KeySlot, at now: Timestamp, _ body: (inout OTPStanding) throws(E) -> R
  ) throws(KeyStoreError) -> (result: Result<R, E>, changes: UInt64) {
    let ledger = try ledger(of: slot)
    let result = try ledger.update(subject, at: now, body)
    let changes = ledger.changes
    slot.note(changes: changes)
    return (result, changes)
  }

  /// Remembers from the audit log the least number of changes that a key's ledger must have.
  package func restore(changes: UInt64, for id: KeyID) { table.value.slots[id]?.note(changes: changes) }
}
