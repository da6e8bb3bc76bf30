package import ClaimWire
internal import Encoding
package import Operations
internal import TestSupport

/// A fleet's store in this process: it keeps what it acknowledged, and is away when the test says so.
package final class SimulatedClaims: Sendable {
  private struct State {
    var rows: [ClaimDigest: (host: HostName, retry: ClaimDigest, day: UInt32, at: Int64)] = [:]
    var isAway = false
    var losesAnswers = false
    var asked: [[Claim]] = []
  }

  private let state = Locked(State())
  private let clock: TestClock

  package init(_ clock: TestClock) { self.clock = clock }

  /// What host it is makes the difference in each answer.
  package func line(_ host: HostName) -> any FleetStore { Line(host: host, store: self) }

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
  package var holders: [ClaimDigest: String] { state.withLock { $0.rows.mapValues(\.host.text) } }

  /// Everything that it has learned.
  package var bytes: [UInt8] {
    state.withLock { state in
      state.rows.flatMap { claim, row in claim.bytes + row.retry.bytes + Array(row.host.text.utf8) + Array("\(row.day) \(row.at)".utf8) }
    }
  }

  private func claim(_ claims: [Claim], by host: HostName) -> [ClaimHolding]? {
    let now = clock.now.microseconds / 1000
    return state.withLock { state in
      state.asked.append(claims)
      guard !state.isAway else { return nil }
      for claim in claims where state.rows[claim.digest] == nil { state.rows[claim.digest] = (host, claim.retryDigest, claim.day, now) }
      guard !state.losesAnswers else { return nil }
      return claims.compactMap { claim in
        state.rows[claim.digest].map {
          ClaimHolding($0.host == host ? .thisHost : .anotherHost, ageMilliseconds: UInt64(max(0, now - $0.at)), retryDigest: $0.retry, host: $0.host)
        }
      }
    }
  }

  private struct Line: FleetStore {
    let host: HostName
    let store: SimulatedClaims

    var isAway: Bool { store.isAway }
    func claim(_ claims: [Claim]) -> [ClaimHolding]? { store.claim(claims, by: host) }
  }
}
