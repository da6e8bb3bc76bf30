internal import ApplePay
internal import Audit
package import ClaimWire
internal import CryptoBackend
internal import Encoding
internal import KeyStore
package import Policy
package import Wire

/// A request to open a token that was found good before it is claimed; whoever opens it checks all but the signature again. [FLEET-CLAIM-5]
package struct FoundOpening: Sendable {
  package let claim: Claim
  /// The deciding grant's id, on which the retry digest depends.
  package let grant: String
  /// For how long it can be repeated, in seconds.
  package let window: UInt32
  let key: KeyID
  let proof: TokenProof
}

/// What the fleet's store made of a request to open a token.
package enum ClaimState: Sendable {
  /// The host is in no fleet.
  case alone
  /// It was not found good, or this host knows without the store what becomes of it.
  case unclaimed
  case claimed(FoundOpening, ClaimRuling)
  /// The store was away.
  case away(FoundOpening)

  package var found: FoundOpening? {
    switch self {
    case .alone, .unclaimed: nil
    case .claimed(let found, _), .away(let found): found
    }
  }

  /// The same, if that grant decides now, too.
  package func under(_ grant: String) -> ClaimState { found.map { $0.grant == grant } ?? true ? self : .unclaimed }

  package var elsewhere: ClaimRuling.Elsewhere? { if case .claimed(_, .again(let elsewhere)) = self { elsewhere } else { nil } }
}

extension DaemonContext {
  /// Looks at a request that a grant covers: at its token's signature, chain, signing time and key.
  ///
  /// - Returns: nil if it will be refused, or was carried out here before; which of them is found when it is served.
  package func find(_ body: Span<UInt8>, _ key: KeyID, by caller: Caller, under grant: String, _ rules: Rules) -> FoundOpening? {
    guard let digests = fleet?.digests(keys, at: clock()), let record = keys.record(for: key, serving: .openPaymentToken, at: clock()) else { return nil }
    do throws(OperationError) {
      let request = try OpenPaymentTokenRequest(decoding: MessageReader(body))
      guard Digest256(request.token.publicKeyHash) == Digest256(record.check.value) else { return nil }
      let (retry, window): (ClaimDigest, UInt32)
      switch self.retry(OpenPaymentToken.self, of: body, key, by: caller, under: grant, rules) {
      case .again, .unknown: return nil
      case .none: (retry, window) = (.zero, 0)
      case .possible(_, let span): (retry, window) = (try digests.retry(body, by: caller, under: grant), span)
      }
      let proof = try proof(request.token, window: self.window(for: record, rules) + window)
      guard try !isKnown(request.token, proof) else { return nil }
      let digest = try digests.opening(request.token.publicKeyHash, request.token.transactionID)
      return FoundOpening(
        claim: Claim(digest: digest, retryDigest: retry, day: Claim.day(of: proof.signingTime.seconds)), grant: grant, window: window, key: key, proof: proof)
    } catch { return nil }
  }

  /// A token that is opened again elsewhere was fresh at its first opening, so that it may be older by the window.
  private func proof(_ token: borrowing PaymentTokenMessage, window: UInt32) throws(OperationError) -> TokenProof {
    do throws(TokenError) { return try verifier.verify(PaymentToken(token), now: clock(), window: window).proof } catch { throw OperationError(error) }
  }

  /// Whether the replay guard refuses the token, which then need not be claimed.
  private func isKnown(_ token: borrowing PaymentTokenMessage, _ proof: TokenProof) throws(OperationError) -> Bool {
    try replays.knows(transactionDigest(token, self)) || replays.isForgotten(signedAt: proof.signingTime)
  }
}
