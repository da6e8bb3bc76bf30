package import Encoding
internal import SecretMemory
package import Wire

/// The ledgers of an unlocked store, each opened when it is first asked for.
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

  /// Lets `read` see a ledger's file between two changes of it.
  func betweenChanges<R>(of id: KeyID, _ read: () throws(KeyStoreError) -> R) throws(KeyStoreError) -> R {
    try lock.withLock { () throws(KeyStoreError) in
      guard let ledger = open[id] else { return try read() }
      return try ledger.betweenChanges(read)
    }
  }

  /// A request that is still under way changes nothing any more: the files may have another owner by now.
  func close() {
    lock.withLock {
      isClosed = true
      for ledger in open.values { ledger.close() }
      open = [:]
    }
  }
}

extension KeyStore {
  /// The subjects of a key for codes.
  ///
  /// - Throws: `KeyStoreError.ledger`, `.ledgerOlder`, `.codesNotRestored`, `.storage`, `.crypto`.
  package func ledger(of slot: KeySlot) throws(KeyStoreError) -> OTPLedger {
    guard case .code(let code) = slot.record.otp else { throw .wrongRole }
    return try ledgers.ledger(slot.record.id) { () throws(KeyStoreError) in
      try OTPLedger(slot.record.id, code, atLeast: slot.uses.changes, directory, keys)
    }
  }

  /// Changes one subject's standing as `OTPLedger.update` does, for a record that is to say how many changes the ledger has then.
  package func update<R, E: Error>(
    _ subject: Span<UInt8>, of slot: KeySlot, at now: Timestamp, _ body: (inout OTPStanding) throws(E) -> R
  ) throws(KeyStoreError) -> (result: Result<R, E>, changes: UInt64) {
    let ledger = try ledger(of: slot)
    let result = try ledger.update(subject, at: now, body)
    let changes = ledger.changes
    slot.note(changes: changes)
    return (result, changes)
  }

  /// Takes from the audit log how many changes the ledger of a key had at least.
  package func restore(changes: UInt64, for id: KeyID) { table.value.slots[id]?.note(changes: changes) }
}
