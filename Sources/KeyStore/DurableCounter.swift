internal import SecretMemory
internal import Wire

/// Counts one key's invocations: a crash skips numbers and never gives one twice. [KS-COUNTER]
///
/// Numbers are reserved on disk a block ahead of their use, so that one write serves many invocations.
final class DurableCounter: @unchecked Sendable {
  /// The most numbers that one write reserves, and that a crash loses.
  static let block: UInt64 = 4096

  /// Numbers that one write reserves: of a small limit a crash must not lose much.
  static func block(of limit: UInt64) -> UInt64 { min(block, max(1, limit >> 8)) }

  private let lock = Lock()
  // Guarded by `lock`.
  private var next: UInt64
  private var reserved: UInt64

  /// - Parameter reserved: numbers that may have been given already.
  init(reserved: UInt64) { (next, self.reserved) = (reserved, reserved) }

  /// Numbers that may have been given, by what is on disk.
  var reservedOnDisk: UInt64 { lock.withLock { reserved } }

  /// The next number below `limit`; `reserve` makes durable that all below its argument may have been given.
  ///
  /// - Throws: `KeyStoreError.invocationsUsedUp`, and what `reserve` throws.
  func take(below limit: UInt64, _ reserve: (UInt64) throws(KeyStoreError) -> Void) throws(KeyStoreError) -> UInt64 {
    try lock.withLock { () throws(KeyStoreError) in
      guard next < limit else { throw .invocationsUsedUp }
      if next >= reserved {
        let more = min(limit, next + Self.block(of: limit))
        try reserve(more)
        reserved = more
      }
      next += 1
      return next - 1
    }
  }
}

/// The counters of a store that are in use.
final class DurableCounters: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var counters: [KeyID: DurableCounter] = [:]

  /// The one counter of a key, opened when it is first asked for.
  func counter(of id: KeyID, _ open: () throws(KeyStoreError) -> DurableCounter) throws(KeyStoreError) -> DurableCounter {
    try lock.withLock { () throws(KeyStoreError) in
      if let counter = counters[id] { return counter }
      let counter = try open()
      counters[id] = counter
      return counter
    }
  }

  /// What the counter of a key has reserved; nil while it is not open.
  func reserved(of id: KeyID) -> UInt64? { lock.withLock { counters[id] }?.reservedOnDisk }
}

extension KeyStore {
  /// How often one AES-GCM key may seal under nonces drawn at random (SP 800-38D §8.3).
  static let sealingLimit = UInt64(1) << 32

  /// Counts one invocation of a key, durably, before it happens.
  ///
  /// - Parameter limit: the algorithm's; the key's own may be lower.
  /// - Returns: how many have been counted before it, those that crashes skipped among them.
  /// - Throws: `KeyStoreError.invocationsUsedUp` from the lower limit on; `.counter`, `.storage`.
  @discardableResult
  func countInvocation(of id: KeyID, limit: UInt64 = sealingLimit) throws(KeyStoreError) -> UInt64 {
    let limit = min(limit, table.value.slots[id]?.record.useLimit ?? limit)
    let counter = try counters.counter(of: id) { () throws(KeyStoreError) in try openCounter(of: id) }
    return try counter.take(below: limit) { (reserved) throws(KeyStoreError) in
      try directory.write(.counter(id), CounterFile(reserved: reserved).serialised(for: id, keys))
    }
  }

  private func openCounter(of id: KeyID) throws(KeyStoreError) -> DurableCounter {
    guard let slot = table.value.slots[id] else { throw .unknownKey }
    let file = try directory.read(.counter(id)).map { (bytes) throws(KeyStoreError) in try CounterFile(parsing: bytes, of: id, keys) }
    // An older file, or none, is not believed against the manifest and the audit log.
    return DurableCounter(reserved: max(file?.reserved ?? 0, slot.leastReserved))
  }
}
