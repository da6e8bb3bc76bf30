package import Format

/// How often a grant may be used in a UTC day or week: `5000/d`, `20000/w`.
package struct Quota: Hashable, Sendable {
  package enum Period: Character, Sendable {
    case day = "d"
    /// Begins on Monday.
    case week = "w"

    /// The number of the period that contains `time`.
    func number(of time: Timestamp) -> Int64 { (time.seconds + offset) / seconds }

    /// The start of the period that contains `time`.
    package func start(of time: Timestamp) -> Timestamp { start(number(of: time)) }

    /// The start of the period with this number.
    func start(_ number: Int64) -> Timestamp { Timestamp(seconds: number * seconds - offset) }

    /// The period's length.
    package var seconds: Int64 {
      switch self {
      case .day: 86_400
      case .week: 7 * 86_400
      }
    }

    /// 1970 began on a Thursday.
    private var offset: Int64 {
      switch self {
      case .day: 0
      case .week: 3 * 86_400
      }
    }
  }

  package let count: Int64
  package let period: Period

  /// Parses the policy file's form: 1 to 1 000 000 000, a slash, and `d` or `w`.
  package init?(_ text: String) {
    guard let (count, period) = Period.counted(text, atMost: 1_000_000_000) else { return nil }
    self.count = count
    self.period = period
  }
}

extension Quota: CustomStringConvertible {
  package var description: String { "\(count)/\(period.rawValue)" }
}

extension RawRepresentable<Character> {
  /// Reads `100/s`: a count from 1 on without leading zeros, a slash, and the period's letter.
  static func counted(_ text: String, atMost most: Int64) -> (count: Int64, period: Self)? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == 1, let period = parts[1].first.flatMap(Self.init),
      parts[0].first != "0", parts[0].utf8.allSatisfy(\.isDigit), let count = Int64(parts[0]),
      (1...most).contains(count)
    else { return nil }
    return (count, period)
  }
}
