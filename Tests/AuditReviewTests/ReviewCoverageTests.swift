import Audit
import Testing
@testable import Review

/// Which records are left to review.
@Suite struct ReviewCoverageTests {
  private typealias Open = ReviewCoverage.Open

  private static func coverage(_ lines: [String]) throws -> ReviewCoverage {
    var coverage = ReviewCoverage()
    for line in lines {
      let bytes = Array(line.utf8)
      coverage.add(try Record(parsing: bytes.span))
    }
    return coverage
  }

  private static func signOff(_ sequence: Int, uid: Int, upTo size: Int, result: String = "ok")
    -> String
  {
    TestLines.line(sequence, uid: uid, op: "review-log", result: result, review: size)
  }

  @Test func withoutASignOffAllIsOpen() throws {
    #expect(try Self.coverage([]).open == [])
    #expect(
      try Self.coverage([TestLines.line(3), TestLines.line(4)]).open == [
        Open(first: 3, last: 4, isSelfReviewed: false)
      ])
  }

  @Test func anIndependentSignOffCoversAllBeforeIt() throws {
    let lines = [
      TestLines.line(0), TestLines.event(1, "clock-step"), TestLines.line(2),
      Self.signOff(3, uid: 7, upTo: 2),
    ]
    let coverage = try Self.coverage(lines)
    #expect(coverage.open == [Open(first: 2, last: 3, isSelfReviewed: false)])
    #expect(
      coverage.section.rows.map { $0.map(\.text) } == [
        ["2 to 3", "not reviewed", "", "", ""],
        ["up to 1", "clean", "uid 7, shop.service", "2027-01-15T08:00:00Z", "read it all"],
      ])
    // A later, shorter one takes nothing back.
    #expect(
      try Self.coverage(lines + [Self.signOff(4, uid: 8, upTo: 1)]).open == [
        Open(first: 2, last: 4, isSelfReviewed: false)
      ])
  }

  @Test func aUserOfTheLogDoesNotReviewItAlone() throws {
    let lines = [
      TestLines.line(0), TestLines.line(1), TestLines.line(2, uid: 7),
      Self.signOff(3, uid: 7, upTo: 3),
    ]
    #expect(
      try Self.coverage(lines).open == [
        Open(first: 0, last: 2, isSelfReviewed: true),
        Open(first: 3, last: 3, isSelfReviewed: false),
      ])
    #expect(
      try Self.coverage(lines).section.rows[2].map(\.text)[1] == "clean, by a user of the log")
    // What was before its first request it may review.
    #expect(
      try Self.coverage(lines.dropLast() + [Self.signOff(3, uid: 7, upTo: 2)]).open == [
        Open(first: 2, last: 3, isSelfReviewed: false)
      ])
    // Reading and reviewing are no use of the log; a denied request is one.
    let reading = ["describe", "who", "list-keys", "describe-key", "audit-digest"].enumerated().map
    { TestLines.line($0.offset, uid: 7, op: $0.element) }
    #expect(
      try Self.coverage(reading + [Self.signOff(5, uid: 7, upTo: 5)]).open == [
        Open(first: 5, last: 5, isSelfReviewed: false)
      ])
    let denied = [
      TestLines.line(0, uid: 7, grant: nil, result: "denied"), Self.signOff(1, uid: 7, upTo: 1),
    ]
    #expect(
      try Self.coverage(denied).open == [
        Open(first: 0, last: 0, isSelfReviewed: true),
        Open(first: 1, last: 1, isSelfReviewed: false),
      ])
  }

  @Test func aSignOffThatWasRefusedCoversNothing() throws {
    let lines = [TestLines.line(0), Self.signOff(1, uid: 7, upTo: 1, result: "rejected")]
    #expect(try Self.coverage(lines).open == [Open(first: 0, last: 1, isSelfReviewed: false)])
  }
}
