import Host
import Testing

/// How many lines whoever reads standard error can be made to read.
@Suite struct LineLimitTests {
  private static let second: Int64 = 1_000_000_000
  private var limit = LineLimit()

  /// How many were not said before this one; nil if this one is not said either.
  private mutating func say(_ line: String, at now: Int64, isTaken: Bool = true) -> Int? {
    var said: Int?
    limit.say(line, at: now) { unsaid in
      said = unsaid
      return isTaken
    }
    return said
  }

  @Test("the same line is said once a second, and the next line tells how many were not")
  mutating func repeated() {
    var said = [
      say("a", at: 0), say("a", at: 0), say("a", at: Self.second - 1),
      say("b", at: Self.second - 1), say("a", at: Self.second),
    ]
    #expect(said == [0, nil, nil, 2, 0])
    said = [say("b", at: Self.second), say("c", at: Self.second)]
    #expect(said == [nil, 1])
  }

  @Test("a line that nobody takes is counted, and is said once somebody does")
  mutating func untaken() {
    let said = [
      say("a", at: 0, isTaken: false), say("a", at: 0, isTaken: false), say("a", at: 0),
      say("b", at: 0),
    ]
    #expect(said == [0, 1, 2, 0])
  }

  @Test("64 different lines a second, and no more") mutating func different() {
    for round in 0..<3 as Range<Int64> {
      let said = (0..<200).filter { say("line \($0)", at: round * Self.second) != nil }
      #expect(said == Array(0..<64))
    }
  }
}
