/// Which log lines are said: each at most once a second, and not too many different ones.
package struct LineLimit: Sendable {
  /// The lines of the last second, with when they were said, in nanoseconds.
  private var recent: [String: Int64] = [:]
  /// Those that were not said, or that nobody took, since the last one that was written.
  private var unsaid = 0

  package init() {}

  /// - Parameters:
  ///   - now: nanoseconds of a clock that never goes back.
  ///   - write: writes the line, with how many were not said before it, unless nobody takes it; returns whether somebody did.
  package mutating func say(_ line: String, at now: Int64, _ write: (_ unsaid: Int) -> Bool) {
    recent = recent.filter { now - $0.value < Self.second }
    guard recent[line] == nil, recent.count < Self.different, write(unsaid) else {
      unsaid += 1
      return
    }
    (recent[line], unsaid) = (now, 0)
  }

  private static let second: Int64 = 1_000_000_000
  /// The most lines in a second.
  private static let different = 64
}
