package import Format
package import Operations
import TestSupport

/// A fleet's store in this process: it keeps what it acknowledged, and is away when the test says
/// so.
package final class SimulatedClaims: Sendable {
  private struct State {
    var rows: [ClaimDigest: (claimant: Claimant, retry: ClaimDigest, day: UInt32, at: Int64)] = [:]
    var isAway = false
    var losesAnswers = false
    var asked: [[Claim]] = []
    /// Under which all hosts claim.
    var key: ClaimDigest?
    var runs: UInt64 = 0
  }

  private let state = Locked(State())
  private let clock: TestClock

  package init(_ clock: TestClock) { self.clock = clock }

  /// Of a run of a host's daemon, which makes the difference in each answer.
  package func line(_ host: HostName) -> any FleetStore {
    let run = state.withLock { state in
      state.runs += 1
      return state.runs
    }
    return Line(claimant: Claimant(host: host, run: run), store: self)
  }

  package var isAway: Bool {
    get { state.withLock { $0.isAway } }
    set { state.withLock { $0.isAway = newValue } }
  }

  /// Whether it claims, and then does not answer.
  package var losesAnswers: Bool {
    get { state.withLock { $0.losesAnswers } }
    set { state.withLock { $0.losesAnswers = newValue } }
  }

  /// The claims of each question, in order.
  package var asked: [[Claim]] { state.withLock { $0.asked } }

  /// Which host holds each claim.
  package var holders: [ClaimDigest: String] {
    state.withLock { $0.rows.mapValues(\.claimant.host.text) }
  }

  /// Everything that it has learned.
  package var bytes: [UInt8] {
    state.withLock { state in
      state.rows.flatMap { claim, row in
        claim.bytes + row.retry.bytes + Array(row.claimant.host.text.utf8)
          + Array("\(row.day) \(row.at)".utf8)
      }
    }
  }

  /// [FLEET-CLAIM-9] [FLEET-CLAIM-10]
  private func claim(_ claims: [Claim], under key: ClaimDigest, by claimant: Claimant)
    -> [ClaimHolding]?
  {
    let now = clock.now.microseconds / 1000
    return state.withLock { state in
      state.asked.append(claims)
      guard !state.isAway, key == state.key ?? key else { return nil }
      state.key = key
      for claim in claims where state.rows[claim.digest] == nil {
        state.rows[claim.digest] = (claimant, claim.retryDigest, claim.day, now)
      }
      guard !state.losesAnswers else { return nil }
      return claims.compactMap { claim in
        state.rows[claim.digest].map {
          ClaimHolding(
            $0.claimant == claimant ? .thisHost : .anotherHost,
            ageMilliseconds: UInt64(max(0, now - $0.at)), retryDigest: $0.retry,
            host: $0.claimant.host)
        }
      }
    }
  }

  private struct Line: FleetStore {
    let claimant: Claimant
    let store: SimulatedClaims

    var isAway: Bool { store.isAway }
    func claim(_ claims: [Claim], under key: ClaimDigest) -> [ClaimHolding]? {
      store.claim(claims, under: key, by: claimant)
    }
  }
}
