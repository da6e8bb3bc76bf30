import Format
import Host

/// The store's thread: keeps the store open for the host and has claimed what is asked for.
final class StoreLoop<Engine: ClaimEngine> {
  private let engine: Engine
  private let desk: ClaimDesk
  private let report: StoreReport
  private let pauses: ClosedRange<Int64>

  /// - Parameter pauses: between attempts to open the store, in nanoseconds; each is twice as long
  ///   as the one before.
  init(
    _ engine: Engine, _ desk: ClaimDesk, _ report: StoreReport,
    pauses: ClosedRange<Int64> = 100_000_000...5_000_000_000
  ) {
    self.engine = engine
    self.desk = desk
    self.report = report
    self.pauses = pauses
  }

  /// Returns when the desk is stopped.
  func run() {
    var pause = pauses.lowerBound
    while let host = desk.waitForHost() {
      do throws(StoreFailure) {
        try engine.open(as: host)
        report.opened(host.host)
        desk.open(for: host)
        pause = pauses.lowerBound
        try serve(host)
        desk.shut()
      } catch {
        desk.shut()
        report.away(host.host, error)
        desk.pause(until: Monitor.now + pause)
        pause = min(2 * pause, pauses.upperBound)
      }
      engine.close()
    }
  }

  /// How often the store is looked at, in nanoseconds.
  private static var lookInterval: Int64 { 5_000_000_000 }

  /// Returns when the host has another name.
  private func serve(_ host: Claimant) throws(StoreFailure) {
    var nextLook = Monitor.now
    while true {
      if Monitor.now >= nextLook {
        try look()
        nextLook = Monitor.now + Self.lookInterval
      }
      switch desk.next(until: nextLook) {
      case .asks(let asks): try claim(asks, for: host)
      case .nothing: break
      case .otherHost: return
      }
    }
  }

  private func look() throws(StoreFailure) {
    let start = Monitor.now
    report.saw(try engine.look(), nanoseconds: Monitor.now - start)
  }

  /// Answers all asks, whatever happens.
  private func claim(_ asks: [ClaimDesk.Ask], for host: Claimant) throws(StoreFailure) {
    let group = ClaimGroup(asks)
    let key = asks.first?.ask.key ?? .zero
    // Of a host whose key changes there may be asks under both.
    guard asks.allSatisfy({ $0.ask.key == key }) else { return try claimSingly(asks, for: host) }
    let start = Monitor.now
    do throws(StoreFailure) {
      let held = try engine.hold(group.claims, under: key)
      report.claimed(held, of: host.host, nanoseconds: Monitor.now - start)
      group.answer(held, for: host)
    } catch .refused(let text) {
      guard asks.count > 1 else {
        report.refused(text)
        return tellAway(asks)
      }
      // One ask's claims are at fault; the others' are not.
      try claimSingly(asks, for: host)
    } catch {
      tellAway(asks)
      throw error
    }
  }

  private func claimSingly(_ asks: [ClaimDesk.Ask], for host: Claimant) throws(StoreFailure) {
    for (place, ask) in asks.enumerated() {
      do throws(StoreFailure) { try claim([ask], for: host) } catch {
        tellAway(Array(asks[(place + 1)...]))
        throw error
      }
    }
  }

  private func tellAway(_ asks: [ClaimDesk.Ask]) {
    report.away(count: asks.count)
    for ask in asks { ask.peer.send(.away(id: ask.ask.id)) }
  }
}

/// The claims of several asks as one transaction takes them: each once, and in the order of their
/// keys.
struct ClaimGroup {
  private let asks: [ClaimDesk.Ask]
  let claims: [Claim]

  init(_ asks: [ClaimDesk.Ask]) {
    self.asks = asks
    var first: [ClaimKey: Claim] = [:]
    // Of two requests at once for one token the first one's retry digest stands.
    for claim in asks.flatMap({ $0.ask.claims }) where first[ClaimKey(claim)] == nil {
      first[ClaimKey(claim)] = claim
    }
    claims = first.sorted { $0.key < $1.key }.map { $0.value }
  }

  /// Tells everybody who asked, in the order of each ask's claims.
  ///
  /// - Parameter held: who holds each of `claims`.
  func answer(_ held: [StoredClaim], for host: Claimant) {
    let holdings = Dictionary(
      uniqueKeysWithValues: zip(claims.map(ClaimKey.init), held.map { ClaimHolding($0, for: host) })
    )
    for ask in asks {
      let answer = ClaimAnswer(
        id: ask.ask.id, holdings: ask.ask.claims.compactMap { holdings[ClaimKey($0)] })
      ask.peer.send(answer.map { .answer($0) } ?? .away(id: ask.ask.id))
    }
  }
}

extension ClaimHolding {
  fileprivate init(_ stored: StoredClaim, for host: Claimant) {
    self.init(
      stored.claimant == host ? .thisHost : .anotherHost, ageMilliseconds: stored.ageMilliseconds,
      retryDigest: stored.retryDigest, host: stored.claimant.host)
  }
}
