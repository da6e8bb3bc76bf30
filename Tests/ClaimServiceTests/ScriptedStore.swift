import Format
import Host
import Testing
@testable import kist_claimd

/// A store in memory that fails when it is told to.
final class ScriptedStore: ClaimEngine, @unchecked Sendable {
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var rows: [Claim.Place: (claimant: Claimant, retryDigest: ClaimDigest)] = [:]
  private var openings: [StoreFailure?] = []
  private var failures: [(claim: ClaimDigest, failure: StoreFailure)] = []
  private var isHeldBack = false
  private var claimant: Claimant?
  private var transactions: [[Claim]] = []
  private var hosts: [HostName] = []
  private var asked: [ClaimDigest] = []

  /// What was claimed together, in the order of the transactions.
  var claimedTogether: [[Claim]] { monitor.withLock { transactions } }
  /// Under which key each of them was.
  var keys: [ClaimDigest] { monitor.withLock { asked } }
  var openedAs: [HostName] { monitor.withLock { hosts } }

  /// How the next attempts to open it end.
  func failToOpen(_ failures: [StoreFailure]) { monitor.withLock { openings = failures } }
  /// Every transaction with this claim fails.
  func fail(_ claim: Claim, _ failure: StoreFailure) {
    monitor.withLock { failures.append((claim.digest, failure)) }
  }
  func mend() { monitor.withLock { failures = [] } }
  /// Another host's claim.
  func put(_ claim: Claim, _ host: HostName) {
    monitor.withLock { rows[claim.place] = (Claimant(host: host, run: 1), claim.retryDigest) }
  }

  func holdBack(_ isHeldBack: Bool) {
    monitor.withLock { self.isHeldBack = isHeldBack }
    monitor.wakeAll()
  }

  func waitForTransactions(_ count: Int) {
    monitor.withLock { while transactions.count < count { monitor.wait() } }
  }

  func open(as claimant: Claimant) throws(StoreFailure) {
    let failure: StoreFailure? = monitor.withLock {
      hosts.append(claimant.host)
      self.claimant = claimant
      return openings.isEmpty ? nil : openings.removeFirst()
    }
    if let failure { throw failure }
  }

  func hold(_ claims: [Claim], under key: ClaimDigest) throws(StoreFailure) -> [StoredClaim] {
    let outcome: Result<[StoredClaim], StoreFailure> = monitor.withLock {
      transactions.append(claims)
      asked.append(key)
      monitor.wakeAll()
      while isHeldBack { monitor.wait() }
      guard let claimant else { return .failure(.lost("it is closed")) }
      if let failing = failures.first(where: { failing in
        claims.contains { $0.digest == failing.claim }
      }) {
        return .failure(failing.failure)
      }
      return .success(
        claims.map { claim in
          let row = rows[claim.place] ?? (claimant, claim.retryDigest)
          rows[claim.place] = row
          return StoredClaim(row.claimant, retryDigest: row.retryDigest, ageMilliseconds: 7)
        })
    }
    return try outcome.get()
  }

  func look() throws(StoreFailure) -> StoreSight {
    StoreSight(clockMilliseconds: 1_800_000_000_000, lastWrites: [:])
  }

  func close() { monitor.withLock { claimant = nil } }
}

extension Claim {
  struct Place: Hashable {
    let day: UInt32
    let digest: ClaimDigest
  }

  var place: Place { Place(day: day, digest: digest) }
}

/// A kistd that remembers what it was told.
final class ListeningPeer: AskingPeer, @unchecked Sendable {
  private let monitor = Monitor()
  /// Guarded by `monitor`.
  private var frames: [StoreFrame] = []

  func send(_ frame: StoreFrame) {
    monitor.withLock { frames.append(frame) }
    monitor.wakeAll()
  }

  var heard: [StoreFrame] { monitor.withLock { frames } }

  /// The first answer, once there is one.
  var firstAnswer: ClaimAnswer {
    monitor.withLock {
      while true {
        for case .answer(let answer) in frames { return answer }
        monitor.wait()
      }
    }
  }

  /// The first frames, once there are so many.
  func first(_ count: Int) -> [StoreFrame] {
    monitor.withLock {
      while frames.count < count { monitor.wait() }
      return Array(frames.prefix(count))
    }
  }
}
