internal import Format

/// What is unique in the store: a claim, and its day [FLEET-STORE-1]. In the order in which all hosts insert them, lest two wait for each other.
struct ClaimKey: Hashable, Comparable, Sendable {
  let day: UInt32
  let digest: ClaimDigest

  init(day: UInt32, _ digest: ClaimDigest) { (self.day, self.digest) = (day, digest) }
  init(_ claim: Claim) { self.init(day: claim.day, claim.digest) }

  static func < (a: ClaimKey, b: ClaimKey) -> Bool { (a.day, a.digest) < (b.day, b.digest) }
}
