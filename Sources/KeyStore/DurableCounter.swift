import Crypto
package import Format
import Host

/// A durable counter of one key's invocations: a crash can skip numbers but never repeat one.
/// [KS-COUNTER]
///
/// Numbers are reserved on disk in blocks, ahead of their use, so that one write serves many
/// invocations.
final class DurableCounter: @unchecked Sendable {
  /// The most numbers that one write reserves, and so the most that a crash can skip.
  static let block: UInt64 = 4096

  /// How many numbers one write reserves: fewer under a small limit, of which a crash must not
  /// waste much.
  static func block(of limit: UInt64) -> UInt64 { min(block, max(1, limit >> 8)) }

  private let lock = Lock()
  // Guarded by `lock`.
  private var next: UInt64
  private var reserved: UInt64

  /// - Parameter reserved: how many numbers may have been used already.
  init(reserved: UInt64) {
    next = reserved
    self.reserved = reserved
  }

  /// How many numbers may have been used, according to the disk.
  var reservedOnDisk: UInt64 { lock.withLock { reserved } }

  /// The next number below `limit`; calls `reserve(n)` to record durably that all numbers below n
  /// may have been used.
  ///
  /// - Throws: `KeyStoreError.invocationsUsedUp`, and what `reserve` throws.
  func take(below limit: UInt64, _ reserve: (UInt64) throws(KeyStoreError) -> Void)
    throws(KeyStoreError) -> UInt64
  {
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

  /// Takes back the count of an invocation of which nobody has the result; the disk keeps what it
  /// has.
  func giveBack() { lock.withLock { next -= 1 } }
}

/// The open counters of a store.
final class DurableCounters: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var counters: [KeyID: DurableCounter] = [:]

  /// The only counter of a key, opened at its first use.
  func counter(of id: KeyID, _ open: () throws(KeyStoreError) -> DurableCounter)
    throws(KeyStoreError) -> DurableCounter
  {
    try lock.withLock { () throws(KeyStoreError) in
      if let counter = counters[id] { return counter }
      let counter = try open()
      counters[id] = counter
      return counter
    }
  }

  /// Gives one number of an open counter back.
  func giveBack(to id: KeyID) { lock.withLock { counters[id] }?.giveBack() }
}

extension KeyStore {
  /// How often one AES-GCM key may encrypt with random nonces (SP 800-38D §8.3).
  static let sealingLimit = UInt64(1) << 32

  /// Durably counts one invocation of a key, before it happens.
  ///
  /// - Parameter limit: the algorithm's limit; the key's own may be lower.
  /// - Returns: how many were counted before, including those that crashes skipped.
  /// - Throws: `KeyStoreError.invocationsUsedUp` once the lower limit is reached; `.counter`,
  ///   `.storage`.
  @discardableResult
  func countInvocation(of id: KeyID, limit: UInt64 = sealingLimit) throws(KeyStoreError) -> UInt64 {
    let limit = min(limit, table.value.slots[id]?.record.useLimit ?? limit)
    let counter = try counters.counter(of: id) { () throws(KeyStoreError) in try openCounter(of: id)
    }
    return try counter.take(below: limit) { (reserved) throws(KeyStoreError) in
      try directory.write(.counter(id), CounterFile(reserved: reserved).serialised(for: id, keys))
    }
  }

  /// Gives back one counted use of which nobody has the result. [KS-USE-LIMIT]
  package func giveBackUse(of id: KeyID) { counters.giveBack(to: id) }

  /// The key's record with uses up to `anchor`, and the invocations reserved on disk: of uses that
  /// the log has lost, only the counter's file tells. [KS-USES]
  func counted(_ slot: KeySlot, upTo anchor: AuditAnchor) -> KeyRecord {
    var counted = slot.liveRecord
    counted.uses.auditSize = anchor.size
    let counter =
      counted.countsInvocations
      ? try? counters.counter(of: counted.id) { () throws(KeyStoreError) in
        try openCounter(of: counted.id)
      } : nil
    counted.uses.reserved = min(
      counter?.reservedOnDisk ?? slot.leastReserved, KeyRecord.useLimits.upperBound)
    return counted
  }

  private func openCounter(of id: KeyID) throws(KeyStoreError) -> DurableCounter {
    guard let slot = table.value.slots[id] else { throw .unknownKey }
    let file = try directory.read(.counter(id)).map { (bytes) throws(KeyStoreError) in
      try CounterFile(parsing: bytes, of: id, keys)
    }
    // A missing or older file must not lower the count that the manifest and the audit log know of.
    return DurableCounter(reserved: max(file?.reserved ?? 0, slot.leastReserved))
  }
}

/// The file of one key's invocation counter: `kistctr1 ‖ 16 B key id ‖ u64 reserved ‖
/// HMAC-SHA-256`. [KS-COUNTER]
struct CounterFile {
  static let byteCount = 64

  /// The highest number of invocations that may have happened.
  let reserved: UInt64
}

extension CounterFile {
  /// - Throws: `KeyStoreError.counter` for a file that was not written by this store for this key.
  init(parsing bytes: [UInt8], of id: KeyID, _ keys: borrowing StoreKeys) throws(KeyStoreError) {
    guard bytes.count == Self.byteCount else { throw .counter(id) }
    reserved = UInt64(bigEndian: bytes.span, at: Self.reservedAt)
    let expected = try serialised(for: id, keys)
    guard ConstantTime.equal(expected.span, bytes.span) else { throw .counter(id) }
  }

  func serialised(for id: KeyID, _ keys: borrowing StoreKeys) throws(KeyStoreError) -> [UInt8] {
    let bytes = Array("kistctr1".utf8) + id.bytes + reserved.bigEndianBytes
    let mac = try onCrypto(HMACSHA256.authenticate(key: keys.counters.bytes, bytes.span))
    return bytes + mac.bytes
  }

  private static let reservedAt = 24
}
