internal import Format

extension RawRepresentable<Character> {
  /// Reads `100/s`: a count from 1 on without leading zeros, a slash, and the period's letter.
  static func counted(_ text: String, atMost most: Int64) -> (count: Int64, period: Self)? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == 1, let period = parts[1].first.flatMap(Self.init),
      parts[0].first != "0", parts[0].utf8.allSatisfy(\.isDigit), let count = Int64(parts[0]), (1...most).contains(count)
    else { return nil }
    return (count, period)
  }
}
