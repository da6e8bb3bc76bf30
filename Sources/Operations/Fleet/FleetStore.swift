package import Crypto
package import Format

/// Where the hosts of a fleet make their claims.
package protocol FleetStore: Sendable {
  /// Claims these, 1 to 512 that differ from one another, and waits for who holds each, in the same order.
  ///
  /// - Parameter key: tells under which key; the store takes claims under one alone. [FLEET-CLAIM-9]
  /// - Returns: nil if the store is away, or too slow: then nobody knows whether they are claimed.
  func claim(_ claims: [Claim], under key: ClaimDigest) -> [ClaimHolding]?
  /// Whether it is known to be away.
  var isAway: Bool { get }
}

extension ClaimDigest {
  package init(_ digest: Digest256) { self = ClaimDigest(digest.span) ?? .zero }
}

extension Digest256 {
  package init(_ claim: ClaimDigest) { self = Digest256(claim.bytes) ?? .zero }
}

extension Claim {
  /// The day of a moment, in seconds since 1970. [FLEET-CLAIM-4]
  package static func day(of seconds: Int64) -> UInt32 { UInt32(clamping: seconds / 86_400) }
}
