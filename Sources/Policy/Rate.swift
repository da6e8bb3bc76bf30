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
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == 1, let period = parts[1].first.flatMap(Period.init),
      parts[0].first != "0", parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let count = Int64(parts[0]), (1...1_000_000).contains(count)
    else { return nil }
    (self.count, self.period) = (count, period)
  }

  package init(_ count: Int64, per period: Period) { (self.count, self.period) = (count, period) }

  /// The time until one use becomes available again, in nanoseconds.
  var interval: Int64 { period.nanoseconds / count }
}

extension Rate: CustomStringConvertible {
  package var description: String { "\(count)/\(period.rawValue)" }
}
