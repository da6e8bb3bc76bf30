/// How often a grant may be used by one user: `100/s`, `6000/m`, `20/h`.
package struct Rate: Hashable, Sendable {
  package enum Period: Character, Sendable {
    case second = "s"
    case minute = "m"
    case hour = "h"

    var nanoseconds: Int64 {
      switch self {
      case .second: 1_000_000_000
      case .minute: 60_000_000_000
      case .hour: 3_600_000_000_000
      }
    }
  }

  /// Uses per period, which is also the largest burst.
  package let count: Int64
  package let period: Period

  /// Parses the policy file's form: 1 to 1 000 000, a slash, and `s`, `m` or `h`.
  package init?(_ text: String) {
    guard let (count, period) = Period.counted(text, atMost: 1_000_000) else { return nil }
    (self.count, self.period) = (count, period)
  }

  package init(_ count: Int64, per period: Period) { (self.count, self.period) = (count, period) }

  /// Of each person's questions under all grants that state no rate: 600 at once, ten a second.
  ///
  /// Each has a record, and nothing else limits how fast these fill the log's disk.
  static let ofQuestions = Rate(600, per: .minute)

  /// The time until one use becomes available again, in nanoseconds.
  var interval: Int64 { period.nanoseconds / count }
}

extension Rate: CustomStringConvertible {
  package var description: String { "\(count)/\(period.rawValue)" }
}
