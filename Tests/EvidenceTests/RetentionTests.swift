import Audit
import Encoding
import Evidence
import Storage
import TestSupport
import Testing

@Suite struct RetentionTests {
  private let test: TestLog
  private let starts: [LogReader.SegmentStart]

  init() throws {
    test = try TestLog(commits: 60, segmentLimit: 5000)
    starts = try LogReader(test.directory).segmentStarts()
    #expect(starts.count > 4)
  }

  private var retention: Retention { Retention(test.directory, test.verifier) }

  private func segments(_ disk: SimulatedDisk? = nil) throws -> [String] { try (disk ?? test.disk).list(TestLog.path).filter { $0.hasSuffix(".log") } }

  @Test func whatIsOlderGoesAndItsRootStays() throws {
    let pruning = try #require(try retention.expired(before: starts[2].latestBefore))
    #expect(pruning.segments == starts.prefix(2).map(\.fileName))
    try retention.prune(pruning)
    #expect(try segments() == starts.dropFirst(2).map(\.fileName))
    let kept = try #require(test.disk.contents(TestLog.path + "/pruned/\(pruning.checkpoint.checkpoint.head.size)"))
    #expect(kept == pruning.checkpoint.note)
    #expect(try LogReader(test.directory).edge().head == pruning.checkpoint.head(signedBy: test.verifier))
    let found = LogVerifier(test.verifier, signatures: .every).verify(test.directory)
    #expect((found.verdict, found.head, found.firstSequence) == (.good, test.heads.last, pruning.checkpoint.checkpoint.head.size))
    // Once more takes more away; the log opens and goes on.
    try retention.prune(try #require(try retention.expired(before: starts[3].latestBefore)))
    #expect(try segments() == starts.dropFirst(3).map(\.fileName))
    #expect(LogVerifier(test.verifier, anchor: test.heads.last).verify(test.directory).verdict == .good)
  }

  @Test func whatIsNotOlderStays() throws {
    #expect(try retention.expired(before: starts[0].latestBefore) == nil)
    #expect(try retention.expired(before: Timestamp(microseconds: starts[1].latestBefore.microseconds - 1)) == nil)
    let all = try #require(try retention.expired(before: Timestamp(seconds: 4_000_000_000)))
    #expect(all.segments == starts.dropLast().map(\.fileName), "the one in use stays")
  }

  @Test func ofALogThatIsNotGoodNothingGoes() throws {
    let path = TestLog.path + "/" + starts[4].fileName
    var bytes = try #require(test.disk.contents(path))
    bytes[300] ^= 1
    test.disk.plant(path, bytes)
    #expect(throws: RetentionError.self) { try retention.expired(before: starts[2].latestBefore) }
  }

  /// Wherever it is cut short, what is left is a good log that can be pruned again.
  @Test(arguments: SimulatedDisk.Crash.allCases) func aCrashLeavesALog(_ crash: SimulatedDisk.Crash) throws {
    let before = test.disk.changingCalls
    for call in before..<before + 14 {
      let test = try TestLog(commits: 60, segmentLimit: 5000)
      let retention = Retention(test.directory, test.verifier)
      let pruning = try #require(try retention.expired(before: starts[3].latestBefore))
      test.disk.fail(call: test.disk.changingCalls + call - before, .notDone, errno: 5)
      _ = try? retention.prune(pruning)
      let left = LogDirectory(TestLog.path, on: test.disk.afterCrash(crash))
      #expect(LogVerifier(test.verifier, anchor: test.heads.last).verify(left).verdict == .good)
      #expect(throws: Never.self) {
        try Retention(left, test.verifier).expired(before: starts[4].latestBefore).map { try Retention(left, test.verifier).prune($0) }
      }
    }
  }
}
