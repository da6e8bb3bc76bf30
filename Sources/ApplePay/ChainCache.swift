import Crypto
import Host

/// A chain that a cache keeps, one for each leaf's certificate.
protocol CacheableChain: Sendable {
  /// The leaf's issuer and serial number, which are the same however its certificate is written.
  var leaf: [UInt8] { get }
  /// This chain with what others have for the same key: Apple certifies one again when its
  /// certificate ends.
  func sharing(with others: some Sequence<Self>) -> Self
}

/// A cache of verified chains, so that each leaf costs its two ECDSA checks and three parses only
/// once.
///
/// Apple signs all tokens of a year with one leaf, and gives all issuers the same one. Only
/// verified chains are kept, at most `capacity` of them; the oldest is dropped first. Validity is
/// checked each time, so no entry goes stale. The certificates of one genuine token can be written
/// in some thirty ways (their order, the root, the other half of each ECDSA signature): the last
/// way takes the place of the one before it, and of no other leaf's.
final class ChainCache<Chain: CacheableChain>: @unchecked Sendable {
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
    return lock.withLock { remember(verified, as: key) }
  }

  var count: Int { lock.withLock { chains.count } }
  var all: [Chain] { lock.withLock { Array(chains.values) } }

  private func remember(_ chain: Chain, as key: Digest256) -> Chain {
    if let known = chains[key] { return known }
    let chain = chain.sharing(with: chains.values)
    let earlier =
      order.firstIndex { chains[$0]?.leaf == chain.leaf } ?? (order.count == capacity ? 0 : nil)
    if let earlier { chains[order.remove(at: earlier)] = nil }
    chains[key] = chain
    order.append(key)
    return chain
  }
}
