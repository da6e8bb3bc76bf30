// ClaimStore: who holds which claim, in a store that outlives every host (proto/FLEET.md §4).
// It knows the seam `ClaimEngine` and, behind it, PostgreSQL; another engine is another folder.
// It must not know `kistd` and its socket, nor what is claimed.

import Format

/// A store as one host sees it; it is used by one thread.
///
/// After any failure but `StoreFailure.refused` it is closed, and what was asked may be in the
/// store or not.
protocol ClaimEngine: AnyObject {
  /// Connects, makes sure that the store keeps what it acknowledges, and that nobody else speaks
  /// for this host [FLEET-STORE-6] [FLEET-STORE-8].
  func open(as claimant: Claimant) throws(StoreFailure)

  /// Claims for the host what nobody holds, all in one transaction [FLEET-STORE-2].
  ///
  /// - Parameters:
  ///   - claims: in ascending order of day and digest, each once.
  ///   - key: tells under which key they are made; it must be the store's [FLEET-CLAIM-9].
  /// - Returns: who holds each, as the store and its standby have it, in the same order.
  func hold(_ claims: [Claim], under key: ClaimDigest) throws(StoreFailure) -> [StoredClaim]

  /// Writes something without meaning, as durably as a claim, and looks around.
  func look() throws(StoreFailure) -> StoreSight

  func close()
}

struct StoredClaim: Hashable, Sendable {
  let claimant: Claimant
  let retryDigest: ClaimDigest
  /// By the store's clock.
  let ageMilliseconds: UInt64

  init(_ claimant: Claimant, retryDigest: ClaimDigest, ageMilliseconds: UInt64) {
    self.claimant = claimant
    self.retryDigest = retryDigest
    self.ageMilliseconds = ageMilliseconds
  }
}

struct StoreSight: Hashable, Sendable {
  /// Of the store, since 1970-01-01.
  let clockMilliseconds: Int64
  /// How long ago each host of the fleet last wrote, if it did lately.
  let lastWrites: [HostName: UInt64]
}

/// What is unique in the store: a claim, and its day [FLEET-STORE-1]. In the order in which all
/// hosts insert them, lest two wait for each other.
struct ClaimKey: Hashable, Comparable, Sendable {
  let day: UInt32
  let digest: ClaimDigest

  init(day: UInt32, _ digest: ClaimDigest) {
    self.day = day
    self.digest = digest
  }
  init(_ claim: Claim) { self.init(day: claim.day, claim.digest) }

  static func < (a: ClaimKey, b: ClaimKey) -> Bool { (a.day, a.digest) < (b.day, b.digest) }
}

/// Why the store did not answer, or not clearly; whatever was asked counts as not claimed
/// [FLEET-STORE-3].
enum StoreFailure: Error, Hashable {
  /// There is no connection to be had; in the library's words.
  case unreachable(String)
  case noAnswerInTime
  case lost(String)
  /// It is done, but maybe the standby does not have it: a warning, or another word than `COMMIT`.
  case unclear(String)
  /// It is no store that keeps what it acknowledges [FLEET-STORE-6].
  case unfit(Unfit)
  /// Another session speaks for a host of this name [FLEET-STORE-8].
  case nameIsTaken
  /// A statement was refused that every transaction has, such as for want of rights.
  case failed(String)
  /// This transaction was refused and rolled back; others may be served on the same connection.
  case refused(String)
  /// The answer has another form than the statement's.
  case misunderstood

  enum Unfit: Sendable {
    case hasNoStandby
    case commitsWithoutStandby
    case isReadOnly
  }
}

extension StoreFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .unreachable(let text): "cannot connect: \(text)"
    case .noAnswerInTime: "no answer in time"
    case .lost(let text): "the connection is lost: \(text)"
    case .unclear(let text): "not certain to be on the standby: \(text)"
    case .unfit(.hasNoStandby):
      "synchronous_standby_names is empty, so a fail-over could forget claims; with one server alone say store.standby = false"
    case .unfit(.commitsWithoutStandby): "synchronous_commit is neither on nor remote_apply"
    case .unfit(.isReadOnly): "it takes no writes"
    case .nameIsTaken:
      "another session is connected for a host of this name: an earlier one that the server has not noticed to be gone, or a second host"
    case .failed(let text): "a statement failed: \(text)"
    case .refused(let text): "a transaction was refused: \(text)"
    case .misunderstood: "an answer that makes no sense"
    }
  }
}
