import ClaimService
import ClaimStore
import ClaimWire
import Testing
import Threads

/// A store in memory that fails when it is told to.
final class ScriptedStore: ClaimEngine, @unchecked Sendable {
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var rows: [Claim.Place: (host: HostName, retryDigest: ClaimDigest)] = [:]
  private var openings: [StoreFailure?] = []
  private var failures: [(claim: ClaimDigest, failure: StoreFailure)] = []
  private var isHeldBack = false
  private var host: HostName?
  private var transactions: [[Claim]] = []
  private var hosts: [HostName] = []

  /// What was claimed together, in the order of the transactions.
  var claimedTogether: [[Claim]] { monitor.withLock { transactions } }
  var openedAs: [HostName] { monitor.withLock { hosts } }

  /// How the next attempts to open it end.
  func failToOpen(_ failures: [StoreFailure]) { monitor.withLock { openings = failures } }
  /// Every transaction with this claim fails.
  func fail(_ claim: Claim, _ failure: StoreFailure) { monitor.withLock { failures.append((claim.digest, failure)) } }
  func mend() { monitor.withLock { failures = [] } }
  /// Another host's claim.
  func put(_ claim: Claim, _ host: HostName) { monitor.withLock { rows[claim.place] = (host, claim.retryDigest) } }

  func holdBack(_ isHeldBack: Bool) {
    monitor.withLock { self.isHeldBack = isHeldBack }
    monitor.wakeAll()
  }

  func waitForTransactions(_ count: Int) {
    monitor.withLock { while transactions.count < count { monitor.wait() } }
  }

  func open(as host: HostName) throws(StoreFailure) {
    let failure: StoreFailure? = monitor.withLock {
      hosts.append(host)
      self.host = host
      return openings.isEmpty ? nil : openings.removeFirst()
    }
    if let failure { throw failure }
  }

  func hold(_ claims: [Claim]) throws(StoreFailure) -> [StoredClaim] {
    let outcome: Result<[StoredClaim], StoreFailure> = monitor.withLock {
      transactions.append(claims)
      monitor.wakeAll()
      while isHeldBack { monitor.wait() }
      guard let host else { return .failure(.lost("it is closed")) }
      if let failing = failures.first(where: { failing in claims.contains { $0.digest == failing.claim } }) { return .failure(failing.failure) }
      return .success(
        claims.map { claim in
          let row = rows[claim.place] ?? (host, claim.retryDigest)
          rows[claim.place] = row
          return StoredClaim(host: row.host, retryDigest: row.retryDigest, ageMilliseconds: 7)
        })
    }
    return try outcome.get()
  }

  func look() throws(StoreFailure) -> StoreSight { StoreSight(clockMilliseconds: 1_800_000_000_000, lastWrites: [:]) }

  func close() { monitor.withLock { host = nil } }
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
