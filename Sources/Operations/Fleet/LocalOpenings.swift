package import Crypto
package import Format
import Host

/// Remembers what was opened while the fleet's store was away, until it is claimed [FLEET-F3]; it
/// is refilled from the audit log at start.
package final class LocalOpenings: @unchecked Sendable {
  package struct Entry: Hashable, Sendable {
    package let claim: Claim
    /// The sequence of the opening's record.
    package let sequence: UInt64

    package init(_ claim: Claim, _ sequence: UInt64) {
      self.claim = claim
      self.sequence = sequence
    }

    /// As a record has it.
    package init(_ digest: Digest256, retry: Digest256, day: UInt32, _ sequence: UInt64) {
      self.init(
        Claim(digest: ClaimDigest(digest), retryDigest: ClaimDigest(retry), day: day), sequence)
    }
  }

  private let lock = Lock()
  private let capacity: Int
  // Guarded by `lock`.
  private var entries: [ClaimDigest: Entry] = [:]
  /// Openings whose records are not durable yet.
  private var pending = 0
  private var isTimed = false

  package init(capacity: Int = 65_536) { self.capacity = capacity }

  /// Makes room for an opening.
  ///
  /// - Returns: false if there is none.
  func reserve(_ claim: Claim, into reservations: inout Reservations) -> Bool {
    let hasRoom = lock.withLock {
      guard entries.count + pending < capacity else { return false }
      pending += 1
      return true
    }
    if hasRoom { reservations.add(.claim(claim, self)) }
    return hasRoom
  }

  func giveBack(_ claim: Claim) { lock.withLock { pending -= 1 } }

  /// The opening's record is durable.
  func keep(_ claim: Claim, _ sequence: UInt64) {
    giveBack(claim)
    add(Entry(claim, sequence))
  }

  /// All of them, in the order of their records.
  package var all: [Entry] { lock.withLock { entries.values.sorted { $0.sequence < $1.sequence } } }

  package var count: Int { lock.withLock { entries.count } }

  package func add(_ entry: Entry) { lock.withLock { entries[entry.claim.digest] = entry } }

  /// The store has told who holds the claim.
  package func remove(_ claim: ClaimDigest) {
    lock.withLock { _ = entries.removeValue(forKey: claim) }
  }

  /// Whether a timer must be set: there is something to claim, and none is running.
  package func beginTimer() -> Bool {
    lock.withLock {
      guard !entries.isEmpty, !isTimed else { return false }
      isTimed = true
      return true
    }
  }

  package func endTimer() { lock.withLock { isTimed = false } }
}
