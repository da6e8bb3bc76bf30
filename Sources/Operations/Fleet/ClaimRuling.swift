package import Format

/// What a claim's holding means for a request to open a token: the table of FLEET.md §2. [FLEET-CLAIM-6]
package enum ClaimRuling: Hashable, Sendable {
  /// This host's own replay guard decides.
  case goesOn
  /// Another host opened the token for this very request, or was about to.
  case again(Elsewhere)
  case replay

  /// An opening on another host.
  package struct Elsewhere: Hashable, Sendable {
    package let host: String
    /// How long ago it was, by the store's clock, in milliseconds. [FLEET-CLAIM-7]
    package let age: UInt64

    package init(host: String, age: UInt64) { (self.host, self.age) = (host, age) }
  }

  /// - Parameter window: for how long the request can be repeated, in seconds.
  package init(_ holding: ClaimHolding, of claim: Claim, within window: UInt32) {
    switch holding.holder {
    case .thisHost: self = holding.retryDigest == .zero || holding.isOf(claim) ? .goesOn : .replay
    case .anotherHost:
      let isInTime = holding.ageMilliseconds <= UInt64(window) * 1000
      self = holding.isOf(claim) && isInTime ? .again(Elsewhere(host: holding.host.text, age: holding.ageMilliseconds)) : .replay
    }
  }
}

extension ClaimHolding {
  /// Whether the claim was made for the same request, which can be repeated.
  package func isOf(_ claim: Claim) -> Bool { retryDigest != .zero && retryDigest == claim.retryDigest }
}
