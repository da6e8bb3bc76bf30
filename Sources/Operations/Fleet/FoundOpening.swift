import ApplePay
import Audit
import Crypto
package import Format
import KeyStore
package import Policy

/// A request to open a token, or an envelope that opens once, that was found good before it is
/// claimed; whoever opens it checks all but a token's signature again. [FLEET-CLAIM-5]
package struct FoundOpening: Sendable {
  package let claim: Claim
  /// The deciding grant's id, on which the retry digest depends.
  package let grant: String
  /// For how long it can be repeated, in seconds.
  package let window: UInt32
  /// Of a token's signature.
  let proof: TokenProof?

  /// What of it an operation finds.
  package struct Opening {
    let digest: ClaimDigest
    /// When the token was signed, or an envelope without one made, in seconds since 1970.
    /// [FLEET-CLAIM-4]
    let made: Int64
    var proof: TokenProof?
  }
}

/// With what a request is looked at before it is claimed.
package struct OpeningSearch: ~Copyable {
  let outlook: Outlook
  let daemon: DaemonContext
  let rules: Rules
  let digests: ClaimDigests
  /// For how long the request can be repeated, in seconds: what another host opened may be so much
  /// older.
  let window: UInt32

  var now: Timestamp { daemon.clock() }

  func key() throws(OperationError) -> KeySlot {
    do throws(KeyStoreError) { return try daemon.keys.key(for: outlook, at: now) } catch {
      throw OperationError(lending: error)
    }
  }
}

/// What the fleet's store made of a request that opens something.
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
  package func under(_ grant: String) -> ClaimState {
    found.map { $0.grant == grant } ?? true ? self : .unclaimed
  }

  package var elsewhere: ClaimRuling.Elsewhere? {
    if case .claimed(_, .again(let elsewhere)) = self { elsewhere } else { nil }
  }
}

extension DaemonContext {
  /// Looks at a request that a grant covers.
  ///
  /// - Returns: nil if it claims nothing, will be refused, or was carried out here before; which of
  ///   them is found when it is served.
  package func find<O: Operation>(
    _ operation: O.Type, _ body: Span<UInt8>, _ outlook: consuming Outlook, by caller: Caller,
    _ rules: Rules
  ) -> FoundOpening? {
    guard let digests = fleet?.digests(keys, at: clock()), let key = outlook.key else { return nil }
    let grant = outlook.grant
    do throws(OperationError) {
      let request = try O.Request(decoding: MessageReader(body))
      let (retry, window): (ClaimDigest, UInt32)
      switch self.retry(operation, request, of: body, key, by: caller, under: grant, rules) {
      case .again, .unknown: return nil
      case .none: (retry, window) = (.zero, 0)
      case .possible(_, let span):
        (retry, window) = (try digests.retry(body, by: caller, under: grant), span)
      }
      let search = OpeningSearch(
        outlook: outlook, daemon: self, rules: rules, digests: digests, window: window)
      guard let opening = try operation.opening(request, search) else { return nil }
      let claim = Claim(
        digest: opening.digest, retryDigest: retry, day: Claim.day(of: opening.made))
      return FoundOpening(claim: claim, grant: grant, window: window, proof: opening.proof)
    } catch { return nil }
  }
}

extension OperationContext {
  /// In a fleet, makes sure that what opens once is this host's to open, and marks what is opened
  /// while the store is away. [FLEET-F3]
  ///
  /// - Parameter stage: at which it is refused if it is another's.
  func requireClaim(of merchant: MerchantIdentifier, refusing stage: Stage) throws(OperationError) {
    // What this host opened for the same request it opens again without the store.
    guard retry.first == nil else { return }
    switch claim {
    case .alone, .claimed(_, .goesOn), .claimed(_, .again): return
    case .claimed(_, .replay): throw .rejected(stage)
    case .unclaimed: throw .busy(.claims)
    case .away(let found):
      let claim = found.claim
      guard rules.opensLocally.contains(merchant.text),
        daemon.localOpenings.reserve(claim, into: &finding.reservations)
      else { throw .busy(.claims) }
      finding.inputs.local = LocalOpening(
        day: claim.day, retry: claim.retryDigest == .zero ? nil : Digest256(claim.retryDigest))
    }
  }
}

/// What a claim's holding means for a request to open a token: the table of FLEET.md §2.
/// [FLEET-CLAIM-6]
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
  }

  /// - Parameter window: for how long the request can be repeated, in seconds.
  package init(_ holding: ClaimHolding, of claim: Claim, within window: UInt32) {
    switch holding.holder {
    case .thisHost: self = holding.retryDigest == .zero || holding.isOf(claim) ? .goesOn : .replay
    case .anotherHost:
      let isInTime = holding.ageMilliseconds <= UInt64(window) * 1000
      self =
        holding.isOf(claim) && isInTime
        ? .again(Elsewhere(host: holding.host.text, age: holding.ageMilliseconds)) : .replay
    }
  }
}

extension ClaimHolding {
  /// Whether the claim was made for the same request, which can be repeated.
  package func isOf(_ claim: Claim) -> Bool {
    retryDigest != .zero && retryDigest == claim.retryDigest
  }
}
