import CLinux
import Format

extension Timestamp {
  static var now: Timestamp { Timestamp(microseconds: kist_realtime_nanoseconds() / 1000) }

  /// From seconds that another program sent; nil outside the years that RFC 3339 can express.
  init?(reported seconds: Int64) {
    guard (0..<253_402_300_800).contains(seconds) else { return nil }
    self.init(seconds: seconds)
  }
}

extension Arguments {
  /// A moment, or midnight of a day, in UTC.
  func time(_ name: String) throws(CommandFailure) -> Timestamp? {
    try value(name, "a time such as 2026-11-20T09:30:00Z") {
      Timestamp($0) ?? Timestamp($0 + "T00:00:00Z")
    }
  }

  /// `--since` and `--until`, each nil where it is not said.
  func period() throws(CommandFailure) -> (since: Timestamp?, until: Timestamp?) {
    let since = try time("since")
    let until = try time("until")
    if let since, let until, until <= since { throw .usage("--until is not after --since") }
    return (since, until)
  }
}
