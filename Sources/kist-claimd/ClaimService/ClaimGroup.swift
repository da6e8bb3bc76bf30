internal import Format

/// The claims of several asks as one transaction takes them: each once, and in the order of their keys.
struct ClaimGroup {
  private let asks: [ClaimDesk.Ask]
  let claims: [Claim]

  init(_ asks: [ClaimDesk.Ask]) {
    self.asks = asks
    var first: [ClaimKey: Claim] = [:]
    // Of two requests at once for one token the first one's retry digest stands.
    for claim in asks.flatMap({ $0.ask.claims }) where first[ClaimKey(claim)] == nil { first[ClaimKey(claim)] = claim }
    claims = first.sorted { $0.key < $1.key }.map { $0.value }
  }

  /// Tells everybody who asked, in the order of each ask's claims.
  ///
  /// - Parameter held: who holds each of `claims`.
  func answer(_ held: [StoredClaim], for host: Claimant) {
    let holdings = Dictionary(uniqueKeysWithValues: zip(claims.map(ClaimKey.init), held.map { ClaimHolding($0, for: host) }))
    for ask in asks {
      let answer = ClaimAnswer(id: ask.ask.id, holdings: ask.ask.claims.compactMap { holdings[ClaimKey($0)] })
      ask.peer.send(answer.map { .answer($0) } ?? .away(id: ask.ask.id))
    }
  }
}

extension ClaimHolding {
  fileprivate init(_ stored: StoredClaim, for host: Claimant) {
    self.init(
      stored.claimant == host ? .thisHost : .anotherHost, ageMilliseconds: stored.ageMilliseconds, retryDigest: stored.retryDigest, host: stored.claimant.host)
  }
}
