import Audit
import Crypto
import Format
import Host
import Review
import TestSupport
import Testing

private struct Unexpected: Error { let verdict: Verdict }

@Suite struct RetentionTests {
  private let test: TestLog
  private let starts: [LogReader.SegmentStart]
  private static let now = Timestamp(seconds: 2_000_000_000)

  init() throws {
    test = try TestLog(commits: 60, segmentLimit: 5000)
    starts = try LogReader(test.directory).segmentStarts(at: Self.now)
    #expect(starts.count > 4)
  }

  private var retention: Retention { Retention(test.directory, test.verifier) }

  private func segments(_ disk: SimulatedDisk? = nil) throws -> [String] {
    try (disk ?? test.disk).list(TestLog.path).filter { $0.hasSuffix(".log") }
  }

  @Test func whatIsOlderGoesAndItsRootStays() throws {
    let pruning = try #require(try retention.expired(before: starts[2].latestBefore, at: Self.now))
    #expect(pruning.segments == starts.prefix(2).map(\.fileName))
    try retention.prune(pruning)
    #expect(try segments() == starts.dropFirst(2).map(\.fileName))
    let kept = try #require(
      test.disk.contents(TestLog.path + "/pruned/\(pruning.checkpoint.checkpoint.head.size)"))
    #expect(kept == pruning.checkpoint.note)
    #expect(
      try LogReader(test.directory).edge().head == pruning.checkpoint.head(signedBy: test.verifier))
    let found = LogVerifier(test.verifier, signatures: .every).verify(test.directory)
    #expect(
      (found.verdict, found.head, found.firstSequence) == (
        .good, test.heads.last, pruning.checkpoint.checkpoint.head.size
      ))
    // Once more takes more away; the log opens and goes on.
    try retention.prune(
      try #require(try retention.expired(before: starts[3].latestBefore, at: Self.now)))
    #expect(try segments() == starts.dropFirst(3).map(\.fileName))
    #expect(
      LogVerifier(test.verifier, anchor: test.heads.last).verify(test.directory).verdict == .good)
  }

  /// Another history than the one of which somebody kept a checkpoint, as whoever has the log's key
  /// can write it.
  @Test("[AUD-PROOF-4] a fork is not good once its beginning is gone")
  func aForkWithoutItsBeginning() throws {
    let kept = test.heads[2]
    let fork = try TestLog(commits: 60, segmentLimit: 5000, policy: [1])
    let whole = LogVerifier(test.verifier, anchor: kept).verify(fork.directory).verdict
    guard case .tampered(_, .fork) = whole else { throw Unexpected(verdict: whole) }
    let forks = Retention(fork.directory, test.verifier)
    #expect(throws: RetentionError.self, "who has the checkpoint is not made to forget") {
      try Retention(fork.directory, test.verifier, kept: [test.heads[9], kept]).expired(
        before: starts[2].latestBefore, at: Self.now)
    }
    let pruning = try #require(
      try forks.expired(
        before: LogReader(fork.directory).segmentStarts(at: Self.now)[2].latestBefore, at: Self.now)
    )
    try forks.prune(pruning)
    let uncompared = Verdict.uncompared(
      kept: kept.size, oldest: pruning.checkpoint.checkpoint.head.size)
    #expect(LogVerifier(test.verifier, anchor: kept).verify(fork.directory).verdict == uncompared)
    // What whoever forked it would write beside it: the proof of their own log, and of the other
    // one.
    let oldest = pruning.checkpoint.checkpoint.head.size
    for (log, verdict) in [
      (try TestLog(commits: 60, segmentLimit: 5000, policy: [1]), uncompared),
      (test, .tampered(at: oldest, .fork)),
    ] {
      let there = try #require(log.heads.first { $0.size == oldest })
      let text = try log.prover.growth(from: log.heads[2], to: log.note(there)).text
      fork.disk.plant(TestLog.path + "/pruned/\(kept.size)-\(oldest)", text)
      #expect(LogVerifier(test.verifier, anchor: kept).verify(fork.directory).verdict == verdict)
    }
  }

  /// [AUD-PROOF-4] Whatever is removed in whatever order, a checkpoint that was given, or that the
  /// log names, is compared as before.
  @Test func anOlderCheckpointIsStillCompared() throws {
    let first = test.heads[2]
    let second = test.heads[17]
    let later = test.heads[41]
    let boundary = try #require(
      test.heads.first { UInt64(starts[1].fileName.prefix(20)) == $0.size })
    func verdict(_ head: TreeHead, _ log: LogDirectory? = nil) -> Verdict {
      LogVerifier(test.verifier, anchor: head).verify(log ?? test.directory).verdict
    }
    for (kept, count) in [([first], 1), ([second, first], 2), ([later], 4)] {
      let keeping = Retention(test.directory, test.verifier, kept: kept)
      try keeping.prune(
        try #require(try keeping.expired(before: starts[count].latestBefore, at: Self.now)))
    }
    let oldest = try LogReader(test.directory).edge().size
    #expect(later.size < oldest)
    for head in [first, second, later, boundary] + test.heads.filter({ $0.size >= oldest }) {
      #expect(verdict(head) == .good, "\(head.size)")
    }
    // Nobody gave this one.
    #expect(verdict(test.heads[3]) == .uncompared(kept: test.heads[3].size, oldest: oldest))
    for head in [first, second, later, boundary] {
      let forged = TreeHead(size: head.size, root: SHA256.hash([1]))
      #expect(verdict(forged) == .uncompared(kept: head.size, oldest: oldest))
    }
    // An export has what is left, and the proofs.
    let (_, export) = try test.export()
    let finding = try ExportVerifier(export, test.verifier).verify(anchor: first)
    #expect(finding.log?.verdict == .good && finding.unchecked == ["log/pruned/"])
    #expect(
      try ExportVerifier(export, test.verifier).verify(anchor: test.heads[3]).log?.verdict
        == .uncompared(kept: test.heads[3].size, oldest: oldest))
    // Each proof is needed: without it, or with any bit of it changed, nothing is compared.
    let names = try test.disk.list(TestLog.path + "/pruned").filter {
      $0.hasPrefix("\(first.size)-")
    }
    #expect(names.count == 1)
    let path = TestLog.path + "/pruned/" + names[0]
    let proof = try #require(test.disk.contents(path))
    for place in proof.indices.filter({ $0 % 7 == 0 }) {
      test.disk.substitute(
        path, proof.enumerated().map { $0.offset == place ? $0.element ^ 1 : $0.element })
      #expect(verdict(first) == .uncompared(kept: first.size, oldest: oldest), "byte \(place)")
    }
    test.disk.unplant(path)
    #expect(
      verdict(first) == .uncompared(kept: first.size, oldest: oldest) && verdict(second) == .good)
  }

  @Test func whatIsNotOlderStays() throws {
    #expect(try retention.expired(before: starts[0].latestBefore, at: Self.now) == nil)
    #expect(
      try retention.expired(
        before: Timestamp(microseconds: starts[1].latestBefore.microseconds - 1), at: Self.now)
        == nil)
    let all = try #require(
      try retention.expired(before: Timestamp(seconds: 4_000_000_000), at: Self.now))
    #expect(all.segments == starts.dropLast().map(\.fileName), "the one in use stays")
  }

  /// The first batch of a segment may be in the page cache alone, if its sync failed.
  @Test(
    "the newest segment is no log without the one before it until its second batch",
    arguments: [1, 2, 3]) func newest(batches: Int) throws
  {
    let path = TestLog.path + "/" + (try #require(starts.last).fileName)
    let bytes = try #require(test.disk.contents(path))
    let ends = bytes.indices.filter { bytes[$0...].starts(with: Array("\n\n\u{2014} ".utf8)) }
      .compactMap { note in
        bytes[(note + 2)...].firstIndex(of: 0x0A).map { $0 + 1 }
      }
    try #require(ends.count > 3)
    test.disk.plant(path, Array(bytes.prefix(ends[batches - 1])))
    let all = try #require(
      try retention.expired(before: Timestamp(seconds: 4_000_000_000), at: Self.now))
    #expect(all.segments == starts.dropLast(batches > 1 ? 1 : 2).map(\.fileName))
  }

  @Test func ofALogThatIsNotGoodNothingGoes() throws {
    let path = TestLog.path + "/" + starts[4].fileName
    var bytes = try #require(test.disk.contents(path))
    bytes[300] ^= 1
    test.disk.plant(path, bytes)
    #expect(throws: RetentionError.self) {
      try retention.expired(before: starts[2].latestBefore, at: Self.now)
    }
  }

  /// Wherever it is cut short, what is left is a good log that can be pruned again.
  @Test(arguments: SimulatedDisk.Crash.allCases) func aCrashLeavesALog(_ crash: SimulatedDisk.Crash)
    throws
  {
    let before = test.disk.changingCalls
    for call in before..<before + 40 {
      let test = try TestLog(commits: 60, segmentLimit: 5000)
      let retention = Retention(test.directory, test.verifier)
      let pruning = try #require(
        try retention.expired(before: starts[3].latestBefore, at: Self.now))
      test.disk.fail(call: test.disk.changingCalls + call - before, .notDone, errno: 5)
      _ = try? retention.prune(pruning)
      let left = LogDirectory(TestLog.path, on: test.disk.afterCrash(crash))
      #expect(LogVerifier(test.verifier, anchor: test.heads.last).verify(left).verdict == .good)
      #expect(throws: Never.self) {
        try Retention(left, test.verifier).expired(before: starts[4].latestBefore, at: Self.now).map
        { try Retention(left, test.verifier).prune($0) }
      }
    }
  }
}
