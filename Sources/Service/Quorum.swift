internal import Audit
internal import KeyStore
internal import Policy
internal import SecretMemory
internal import SecretSharing
internal import Wire

/// The custodians' shares, from the first of them to the unlocking or the end of their window.
///
/// Guarded by the service's `transition`. What custodians do is put aside until there is a log that takes it.
final class Quorum {
  /// Nanoseconds that shares are kept after the first, and that somebody who failed too often waits.
  let window: Int64
  private(set) var shares: ShareCollection?
  /// Who handed in which share.
  private(set) var submitters: [UInt32: ShareFingerprint] = [:]
  private(set) var deadline: MonotonicTime?
  private var failures: [UInt32: (count: Int, until: Int64)] = [:]
  private var records = Batch()
  /// Whether a thread waits for the window's end.
  var isWatched = false

  init(window: Int64) { self.window = window }

  private static let failureLimit = 5
  private static let recordLimit = 64

  /// Shares of each group, by its number.
  var present: [Int: Int] {
    Dictionary(uniqueKeysWithValues: (shares?.groups ?? []).map { ($0.group, $0.present) })
  }

  var isComplete: Bool { shares?.isComplete ?? false }

  func has(_ header: ShareHeader) -> Bool { shares?.headers.contains(header) ?? false }

  /// Takes a share in; the first opens the window.
  func add(_ share: borrowing Share, _ fingerprint: ShareFingerprint, from uid: UInt32, at now: MonotonicTime) throws(SharingError) {
    if shares == nil {
      shares = try ShareCollection(share)
      deadline = MonotonicTime(nanoseconds: now.nanoseconds + window)
    } else {
      try shares?.add(share)
    }
    submitters[uid] = fingerprint
  }

  /// The secret that the shares give; they are wiped, whatever came of it.
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

  /// Whether somebody failed five times, the last of them less than a window ago.
  func isCooling(_ uid: UInt32, at now: MonotonicTime) -> Bool {
    guard let failed = failures[uid] else { return false }
    guard failed.until > now.nanoseconds else {
      failures[uid] = nil
      return false
    }
    return failed.count >= Self.failureLimit
  }

  var hasRoomForRecords: Bool { records.count < Self.recordLimit }

  /// Puts a record aside.
  func note(_ attempt: consuming Attempt) { records.add(attempt) }

  /// What was put aside, to be committed now; failures are forgiven with it.
  func takeRecords() -> Batch {
    failures = [:]
    var taken = Batch()
    swap(&taken, &records)
    return taken
  }

  deinit { records.abandon() }
}
