import Audit
import Format
import Host
import Review
import TestSupport
import Testing

/// Lines are found where they are, whatever stands around them.
@Suite struct LogTextTests {
  /// Records 0–2999 in three segments; some lines are as long as a line may be.
  private static func log() throws -> (LogText, [String]) { try made.get() }

  private static let made = Result<(LogText, [String]), any Error> {
    let lines = (0..<3000).map { TestLines.line($0, padding: $0 % 500 == 499 ? 4096 : $0 % 97) }
    let log = try TestLines()
    for first in [0, 1000, 2000] {
      try log.addSegment(first: first, Array(lines[first..<first + 1000]))
    }
    return (LogText(TestLines.path, on: log.disk), lines)
  }

  @Test func everyLineInOrder() throws {
    let (log, lines) = try Self.log()
    var found: [String] = []
    try log.forEachLine { line in
      found.append(String(decoding: line.array, as: UTF8.self))
      return true
    }
    #expect(found == lines)
  }

  @Test func whyThereIsNoRecord() throws {
    let log = try TestLines()
    for first in [40, 90] { try log.addSegment(first: first, [TestLines.line(first)]) }
    let text = LogText(TestLines.path, on: log.disk)
    #expect(try text.absence(of: 39) == .removed(oldest: 40))
    #expect(try text.absence(of: 41) == .missing)
    #expect(try text.absence(of: 91) == .beyondEnd)
  }

  @Test func stopsWhenTold() throws {
    let (log, _) = try Self.log()
    var count = 0
    try log.forEachLine { _ in
      count += 1
      return count < 7
    }
    #expect(count == 7)
  }

  @Test(arguments: [1, 7, 999, 1000, 1001, 2999, 3000]) func goesOnWhereItStopped(_ count: Int)
    throws
  {
    let (log, lines) = try Self.log()
    var found = 0
    let place = try log.forEachLine { _ in
      found += 1
      return found < count
    }
    var rest: [String] = []
    let end = try log.forEachLine(from: place) { line in
      rest.append(String(decoding: line.array, as: UTF8.self))
      return true
    }
    #expect(rest == Array(lines[count...]))
    try log.forEachLine(from: end) { _ in
      Issue.record("a line behind the end")
      return true
    }
  }

  @Test(arguments: [0, 1, 10, 1000, 1001, 2999, 3000, 3001]) func theLastLines(_ count: Int) throws
  {
    let (log, lines) = try Self.log()
    let all = try log.last(count) { _ in true }
    #expect(all.lines.map { String(decoding: $0, as: UTF8.self) } == Array(lines.suffix(count)))
    let few = try log.last(count) { $0.count > 4000 }
    #expect(
      few.lines.map { String(decoding: $0, as: UTF8.self) }
        == Array(lines.filter { $0.utf8.count > 4000 }.suffix(count)))
    #expect(all.end == few.end)
    try log.forEachLine(from: all.end) { _ in
      Issue.record("a line behind the end")
      return true
    }
  }

  @Test func everySequenceFindsItsLine() throws {
    let (log, lines) = try Self.log()
    for sequence in stride(from: 0, to: 3000, by: 211) + [999, 1000, 1001, 1999, 2000, 2999] {
      let found = try #require(try log.line(of: UInt64(sequence)))
      #expect(String(decoding: found, as: UTF8.self) == lines[sequence])
    }
  }

  @Test(arguments: [3000, 3001, UInt64.max]) func whatIsNotThere(_ sequence: UInt64) throws {
    let (log, _) = try Self.log()
    #expect(try log.line(of: sequence) == nil)
  }

  @Test func beforeTheOldestSegmentKept() throws {
    let log = try TestLines()
    try log.addSegment(first: 10, [TestLines.line(10)])
    #expect(try LogText(TestLines.path, on: log.disk).line(of: 9) == nil)
    #expect(try LogText(TestLines.path, on: log.disk).line(of: 10) != nil)
  }

  @Test func aLineWithoutItsEnd() throws {
    let log = try TestLines()
    let file = try File(
      TestLines.path + "/00000000000000000000.log", .create(mode: 0o600), on: log.disk)
    try file.write(Array((TestLines.line(0) + "\n" + TestLines.line(1)).utf8).span, at: 0)
    var count = 0
    try LogText(TestLines.path, on: log.disk).forEachLine { _ in
      count += 1
      return true
    }
    #expect(count == 1)
  }

  @Test func noDirectory() throws {
    let log = try TestLines()
    #expect(throws: DiskError.self) {
      try LogText("/nowhere", on: log.disk).forEachLine { _ in true }
    }
  }
}
