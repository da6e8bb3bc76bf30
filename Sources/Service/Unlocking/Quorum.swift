internal import Audit
internal import Crypto
internal import Format
internal import Host
internal import KeyStore
internal import Policy

/// The custodians' shares, from the first one until the store is unlocked or their window ends.
///
/// Guarded by the service's `transition`. Records of what custodians do are kept here until there is a log.
final class Quorum {
  /// In nanoseconds: how long shares are kept after the first, and how long a user with too many failures is locked out.
  let window: Int64
  private(set) var shares: ShareCollection?
  /// Which user submitted which share.
  private(set) var submitters: [UInt32: ShareFingerprint] = [:]
  private(set) var deadline: MonotonicTime?
  private var failures: [UInt32: (count: Int, until: Int64)] = [:]
  private var records = Batch()
  /// Whether a thread is waiting for the window's end.
  var isWatched = false

  init(window: Int64) { self.window = window }

  private static let failureLimit = 5
  private static let recordLimit = 64

  /// How many shares of each group are present, by the group's number.
  var present: [Int: Int] {
    Dictionary(uniqueKeysWithValues: (shares?.groups ?? []).map { ($0.group, $0.present) })
  }

  var isComplete: Bool { shares?.isComplete ?? false }

  func has(_ header: ShareHeader) -> Bool { shares?.headers.contains(header) ?? false }

  /// Adds a share; the first one opens the window.
  func add(_ share: borrowing Share, _ fingerprint: ShareFingerprint, from uid: UInt32, at now: MonotonicTime) throws(SharingError) {
    if shares == nil {
      shares = try ShareCollection(share)
      deadline = MonotonicTime(nanoseconds: now.nanoseconds + window)
    } else {
      try shares?.add(share)
    }
    submitters[uid] = fingerprint
  }

  /// The secret that the shares recover; the shares are wiped even on failure.
  func combine() throws(SharingError) -> SecretBuffer? {
    defer { wipe() }
    return try shares?.combine()
  }

  func wipe() {
    shares = nil
    (submitters, deadline) = ([:], nil)
  }

  func fail(_ uid: UInt32, at now: MonotonicTime) {
    failures[uid] = ((failures[uid]?.count ?? 0) + 1, now.nanoseconds + window)
  }

  /// Whether the user has failed five times, the last time within the window.
  func isCooling(_ uid: UInt32, at now: MonotonicTime) -> Bool {
    guard let failed = failures[uid] else { return false }
    guard failed.until > now.nanoseconds else {
      failures[uid] = nil
      return false
    }
    return failed.count >= Self.failureLimit
  }

  var hasRoomForRecords: Bool { records.count < Self.recordLimit }

  /// Keeps a record until there is a log.
  func note(_ attempt: consuming Attempt) { records.add(attempt) }

  /// The kept records, to be committed now; forgets all failures as well.
  func takeRecords() -> Batch {
    failures = [:]
    var taken = Batch()
    swap(&taken, &records)
    return taken
  }

  deinit { records.abandon() }
}
