import CLinux
import Format
import Host

/// How the store is doing, for the status file and the person on call.
final class StoreReport: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`; times are in milliseconds since 1970-01-01, by this host's clock.
  private var host: HostName?
  private var isThere = false
  private var reason: String?
  /// Why claims were refused, and none was taken since.
  private var refusal: String?
  private var since = StoreReport.now
  private var roundTripMicroseconds: Int64?
  private var clockDifference: Int64?
  private var lastWrites: [HostName: Int64] = [:]
  private var (claims, others, aways, refusals) = (0 as Int64, 0 as Int64, 0 as Int64, 0 as Int64)

  init() {}

  func opened(_ host: HostName) {
    lock.withLock {
      self.host = host
      isThere = true
      reason = nil
      since = Self.now
    }
    Diagnostics.write(.info, "store-there", [("host", host.text)])
  }

  func away(_ host: HostName, _ failure: StoreFailure) {
    let text = failure.description
    let isNew = lock.withLock {
      defer {
        if isThere { since = Self.now }
        self.host = host
        isThere = false
        reason = text
      }
      return isThere || reason != text
    }
    if isNew { Diagnostics.write(.warning, "store-away", [("host", host.text), ("reason", text)]) }
  }

  func saw(_ sight: StoreSight, nanoseconds: Int64) {
    lock.withLock {
      let now = Self.now
      roundTripMicroseconds = nanoseconds / 1000
      clockDifference = sight.clockMilliseconds - now
      for (host, age) in sight.lastWrites { lastWrites[host] = now - Int64(clamping: age) }
    }
  }

  func claimed(_ held: [StoredClaim], of host: HostName, nanoseconds: Int64) {
    lock.withLock {
      roundTripMicroseconds = nanoseconds / 1000
      claims += Int64(held.count)
      refusal = nil
      others += Int64(held.count { $0.claimant.host != host })
    }
  }

  func away(count: Int) { lock.withLock { aways += Int64(count) } }

  func refused(_ text: String) {
    lock.withLock { (refusals, refusal) = (refusals + 1, text) }
    Diagnostics.write(.warning, "claims-refused", [("reason", text)])
  }

  /// One line for `systemctl status`.
  var line: String {
    lock.withLock {
      isThere ? "store there" : "store away: \(reason ?? "kistd has not said which host this is")"
    }
  }

  /// What the status file says.
  func json(hasPeer: Bool) -> CanonicalJSON {
    lock.withLock {
      [
        "claims": claims, "claims_of_others": others, "asks_away": aways,
        "asks_refused": refusals, "kistd": hasPeer, "store": isThere ? "there" : "away",
        "since": Self.text(since), "written": Self.text(Self.now),
        "hosts": lastWrites.sorted { $0.key.text < $1.key.text }.map {
          Self.json($0.key, $0.value)
        },
        "host": host?.text, "refusal": refusal,
        "reason": reason,
        "round_trip_us": roundTripMicroseconds,
        "clock_difference_ms": clockDifference,
      ]
    }
  }

  private static func json(_ host: HostName, _ time: Int64) -> CanonicalJSON {
    ["host": host.text, "last_write": text(time)]
  }

  private static var now: Int64 { kist_realtime_nanoseconds() / 1_000_000 }
  private static func text(_ milliseconds: Int64) -> String {
    Timestamp(microseconds: milliseconds * 1000).description
  }
}

/// What `kist fleet status` reads: how the store is, as JSON that is replaced as a whole.
struct StatusFile {
  private let directory, name: String
  private let disk: any Disk

  init(_ path: String, on disk: any Disk) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    directory = String(path[..<slash])
    name = String(path[slash...].dropFirst())
    self.disk = disk
  }

  func write(_ report: StoreReport, hasPeer: Bool) throws(DiskError) {
    let text = report.json(hasPeer: hasPeer).serialised + [UInt8(ascii: "\n")]
    try DurableFile.replace(name, in: directory, with: text.span, mode: 0o644, on: disk)
  }
}
