// ClaimStore: who holds which claim, in a store that outlives every host (proto/FLEET.md §4).
// It knows the seam `ClaimEngine` and, behind it, PostgreSQL; another engine is another folder.
// It must not know `kistd` and its socket, nor what is claimed.

internal import Format

/// A store as one host sees it; it is used by one thread.
///
/// After any failure but `StoreFailure.refused` it is closed, and what was asked may be in the store or not.
protocol ClaimEngine: AnyObject {
  /// Connects, makes sure that the store keeps what it acknowledges, and that nobody else speaks for this host [FLEET-STORE-6] [FLEET-STORE-8].
  func open(as claimant: Claimant) throws(StoreFailure)

  /// Claims for the host what nobody holds, all in one transaction [FLEET-STORE-2].
  ///
  /// - Parameters:
  ///   - claims: in ascending order of day and digest, each once.
  ///   - key: tells under which key they are made; it must be the store's [FLEET-CLAIM-9].
  /// - Returns: who holds each, as the store and its standby have it, in the same order.
  func hold(_ claims: [Claim], under key: ClaimDigest) throws(StoreFailure) -> [StoredClaim]

  /// Writes something without meaning, as durably as a claim, and looks around.
  func look() throws(StoreFailure) -> StoreSight

  func close()
}

struct StoredClaim: Hashable, Sendable {
  let claimant: Claimant
  let retryDigest: ClaimDigest
  /// By the store's clock.
  let ageMilliseconds: UInt64

  init(_ claimant: Claimant, retryDigest: ClaimDigest, ageMilliseconds: UInt64) {
    (self.claimant, self.retryDigest, self.ageMilliseconds) = (claimant, retryDigest, ageMilliseconds)
  }
}

struct StoreSight: Hashable, Sendable {
  /// Of the store, since 1970-01-01.
  let clockMilliseconds: Int64
  /// How long ago each host of the fleet last wrote, if it did lately.
  let lastWrites: [HostName: UInt64]

  init(clockMilliseconds: Int64, lastWrites: [HostName: UInt64]) {
    (self.clockMilliseconds, self.lastWrites) = (clockMilliseconds, lastWrites)
  }
}
