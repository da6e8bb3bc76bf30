// ClaimWire: the frames of `claims.sock`, which kistd and kist-claimd exchange (proto/FLEET.md §3).
// It is pure: bytes in, values out, with limits on size and count. What it carries is no secret.
// It must not know sockets, keys, tokens or the store.

/// What a host asks to have for itself, and the digest of the request by which another host may repeat it.
package struct Claim: Hashable, Sendable {
  package let digest: ClaimDigest
  /// `ClaimDigest.zero` for a request that nobody may repeat.
  package let retryDigest: ClaimDigest
  /// The day of what is claimed, counted from 1970-01-01, UTC; never the time of claiming.
  package let day: UInt32

  package init(digest: ClaimDigest, retryDigest: ClaimDigest, day: UInt32) {
    (self.digest, self.retryDigest, self.day) = (digest, retryDigest, day)
  }
}

/// Who claims: a host, and which run of its daemon, since only that remembers for certain what it opened [FLEET-CLAIM-10].
package struct Claimant: Hashable, Sendable {
  package let host: HostName
  /// Random.
  package let run: UInt64

  package init(host: HostName, run: UInt64) { (self.host, self.run) = (host, run) }
}

/// Who holds a claim, since when by the store's clock, and under which retry digest.
package struct ClaimHolding: Hashable, Sendable {
  package enum Holder: UInt8, Sendable {
    /// The claim is the asking host's, by this run of its daemon.
    case thisHost = 1
    case anotherHost = 2
  }

  package let holder: Holder
  package let ageMilliseconds: UInt64
  package let retryDigest: ClaimDigest
  package let host: HostName

  package init(_ holder: Holder, ageMilliseconds: UInt64, retryDigest: ClaimDigest, host: HostName) {
    (self.holder, self.ageMilliseconds, self.retryDigest, self.host) = (holder, ageMilliseconds, retryDigest, host)
  }
}
