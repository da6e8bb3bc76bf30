internal import CryptoBackend
internal import Threads

/// A cache of verified chains, so that each leaf costs its two ECDSA checks and three parses only once.
///
/// Apple signs all tokens of a year with one leaf, and gives all issuers the same one. Only verified chains are kept, at most
/// `capacity` of them; the oldest is dropped first. Validity is checked each time, so no entry goes stale.
final class ChainCache<Chain: Sendable>: @unchecked Sendable {
  let capacity: Int

  private let lock = Lock()
  // Both are guarded by lock.
  private var chains: [Digest256: Chain] = [:]
  private var order: [Digest256] = []

  init(capacity: Int = 64) { self.capacity = capacity }

  /// The chain of these certificates, verified now or before.
  ///
  /// - Parameter key: SHA-256 over the anchor's fingerprint and the bytes of all certificates.
  func chain<E: Error>(_ key: Digest256, _ verify: () throws(E) -> Chain) throws(E) -> Chain {
    if let known = lock.withLock({ chains[key] }) { return known }
    let verified = try verify()  // outside the lock: a hostile chain holds nobody up
    lock.withLock { remember(verified, as: key) }
    return verified
  }

  var count: Int { lock.withLock { chains.count } }

  private func remember(_ chain: Chain, as key: Digest256) {
    guard chains[key] == nil else { return }
    if order.count == capacity { chains[order.removeFirst()] = nil }
    chains[key] = chain
    order.append(key)
  }
}
