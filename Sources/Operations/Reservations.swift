package import Audit
package import Format
package import KeyStore
package import Policy

/// What requests took of which there is only so much, or only one: a receipt keeps it, and whatever
/// is dropped without one, by a throw or an early return, is given back.
package struct Reservations: ~Copyable, Sendable {
  /// With the places of their records in the batch.
  private var taken: [(what: Reserved, place: Int)] = []

  package init() {}

  package mutating func add(_ what: Reserved, at place: Int = 0) { taken.append((what, place)) }

  /// Takes over what an ended request still holds, for its record.
  package mutating func add(_ request: inout Reservations, at place: Int) {
    for (what, _) in request.taken { add(what, at: place) }
    request.taken = []
  }

  /// Gives back what a request with this outcome did not use.
  package mutating func end(_ outcome: Outcome) {
    for (what, _) in taken where !what.isUsed(by: outcome) { what.giveBack() }
    taken.removeAll { !$0.what.isUsed(by: outcome) }
  }

  /// The records that tell of it are durable.
  package consuming func keep(_ receipt: borrowing Receipt) {
    for (what, place) in taken { what.keep(receipt.firstSequence + UInt64(place)) }
    taken = []
  }

  deinit { for (what, _) in taken { what.giveBack() } }
}

/// One thing that a request took.
package enum Reserved: Sendable {
  /// A token's transaction, or the payment of an envelope that opens once.
  case opening(KeyedDigest, ReplayGuard)
  /// A request that may be repeated.
  case request(RepeatableOpenings.Request, RepeatableOpenings)
  /// A claim that waits for the fleet's store.
  case claim(Claim, LocalOpenings)
  case quota([QuotaCounter.Use], UseLimits)
  /// One of a key's limited uses.
  case use(KeyID, KeyStore)

  /// A quota counts what was allowed, whatever came of it; and who is rejected has used the key.
  fileprivate func isUsed(by outcome: Outcome) -> Bool {
    switch (self, outcome) {
    case (.quota, _), (_, .done), (.use, .rejected): true
    case (.opening, _), (.request, _), (.claim, _), (.use, _): false
    }
  }

  /// - Parameter sequence: that of the record.
  fileprivate func keep(_ sequence: UInt64) {
    switch self {
    case .opening(let digest, let replays): replays.keep(digest)
    case .request(let request, let repeatable): repeatable.keep(request, sequence)
    case .claim(let claim, let local): local.keep(claim, sequence)
    case .quota(let uses, let limits): limits.quotas.keep(uses)
    // It is durable since before it was made.
    case .use: return
    }
  }

  fileprivate func giveBack() {
    switch self {
    case .opening(let digest, let replays): replays.giveBack(digest)
    case .request(let request, let repeatable): repeatable.giveBack(request)
    case .claim(let claim, let local): local.giveBack(claim)
    case .quota(let uses, let limits): limits.quotas.giveBack(uses)
    case .use(let key, let keys): keys.giveBackUse(of: key)
    }
  }
}
