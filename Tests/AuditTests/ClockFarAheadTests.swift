import Audit
import Format
import Review
import TestSupport
import Testing

/// A log whose clock was years ahead for a moment: what it said then holds nothing up once it is
/// right.
@Suite struct ClockFarAheadTests {
  private let test: TestLog
  private let clock = TurnedClock()

  init() throws {
    var test = try TestLog(segmentLimit: 2500)
    test.settings = AuditSettings(boot: test.settings.boot, clock: { [clock] in clock.now })
    test.settings.segmentLimit = 2500
    test.settings.allocation = 2048
    self.test = test
  }

  /// Commits until there are so many more segments.
  private func commit(segments more: Int, _ log: AuditLog) throws {
    let wanted = try count + more
    while try count < wanted { _ = try log.commit(Batch(requests: 1)) }
  }

  private var count: Int {
    get throws { try LogReader(test.directory).segmentStarts(at: clock.now).count }
  }

  /// How many records a start reads that needs those since `time`, by their sequences.
  private func read(since time: Timestamp) throws -> [UInt64] {
    var read: [UInt64] = []
    let extent = try LogReader(test.directory).forEachRecord(since: time) { record, _ in
      read.append(record.sequence)
      return true
    }
    #expect(extent == .all)
    return read
  }

  @Test(
    "[AUD-SEG-4] segments that were written then, and before, can be pruned a day later, and no start reads them",
    arguments: [(367 * 1440 + 1, false), (367 * 1440 + 2, true), (30 * 365 * 1440, true)],
    [false, true])
  func pruned(_ ahead: (minutes: Int, isWrong: Bool), restarts: Bool) throws {
    var log = try test.open()
    try commit(segments: 2, log)
    let before = try count - 1
    clock.advance(ahead.minutes)
    try commit(segments: 2, log)
    clock.advance(-ahead.minutes)
    if restarts {
      try log.close()
      log = try test.open()
    }
    try commit(segments: 3, log)
    clock.advance(1441)
    _ = try log.commit(Batch(requests: 1))
    try log.close()
    let retention = Retention(test.directory, test.signer.verifier)
    let pruning = try retention.expired(before: clock.now, at: clock.now)
    let count = try count
    #expect((pruning?.segments.count ?? 0) == (ahead.isWrong ? count - 1 : before))
    #expect(pruning.map { $0.end <= clock.now } ?? true)
    #expect((try read(since: clock.now).count < 10) == ahead.isWrong)
    #expect(test.verify(.every).verdict == .good)
  }

  @Test(
    "[AUD-SEG-5] a segment that began then is followed by another at the next record, so that those before it can be pruned",
    arguments: [false, true])
  func followed(restarts: Bool) throws {
    var log = try test.open()
    try commit(segments: 1, log)
    clock.advance(30 * 365 * 1440)
    try commit(segments: 1, log)
    let count = try count
    clock.advance(-30 * 365 * 1440)
    if restarts {
      try log.close()
      log = try test.open()
    }
    _ = try log.commit(Batch(requests: 1))
    #expect(try self.count == count + 1)
    _ = try log.commit(Batch(requests: 1))
    #expect(try self.count == count + 1)
    clock.advance(1441)
    try log.close()
    let pruning = try Retention(test.directory, test.signer.verifier).expired(
      before: clock.now, at: clock.now)
    #expect(pruning?.segments.count == count)
  }

  @Test(
    "[AUD-SEG-4] what is missing before a segment of the right time is not as late as the wrong clock said"
  )
  func missing() throws {
    let log = try test.open()
    clock.advance(30 * 365 * 1440)
    _ = try log.commit(Batch(requests: 1))
    clock.advance(-30 * 365 * 1440)
    try commit(segments: 2, log)
    try log.close()
    let starts = try LogReader(test.directory).segmentStarts(at: clock.now)
    test.disk.unplant(TestLog.path + "/" + starts[0].fileName)
    let extent = try LogReader(test.directory).forEachRecord(since: clock.now) { _, _ in true }
    #expect(
      extent
        == .from(
          sequence: UInt64(starts[1].fileName.dropLast(4)) ?? 0,
          time: clock.now.adding(seconds: 86_400)))
  }

  @Test(
    "[AUD-OPEN-7] a start misses nothing because the clock was set back for a moment: by years, or by an hour after it was once far ahead",
    arguments: [(0, -2 * 365 * 1440), (30 * 365 * 1440, -60), (30 * 365 * 1440, -1380)])
  func setBack(_ first: Int, _ second: Int) throws {
    let log = try test.open()
    for minutes in [first, -first] {
      clock.advance(minutes)
      try commit(segments: 1, log)
    }
    clock.advance(10_000)
    let since = clock.now
    let wanted = try log.commit(Batch(requests: 1)).firstSequence
    clock.advance(second)
    try commit(segments: 2, log)
    clock.advance(1 - second)
    _ = try log.commit(Batch(requests: 1))
    #expect(try read(since: since).first == wanted)
    try log.close()
  }
}
