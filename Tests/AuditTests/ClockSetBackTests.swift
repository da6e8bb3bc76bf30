import Audit
import Format
import Review
import TestSupport
import Testing

/// A log whose clock was an hour ahead for a while: segments that began later hold older records
/// than those before them.
@Suite struct ClockSetBackTests {
  private let test: TestLog
  private let clock = TurnedClock()
  /// The sequence of the last record of the hour ahead.
  private let latest: UInt64

  init() throws {
    var test = try TestLog(segmentLimit: 2500)
    test.settings = AuditSettings(boot: test.settings.boot, clock: { [clock] in clock.now })
    test.settings.segmentLimit = 2500
    test.settings.allocation = 2048
    self.test = test
    let log = try test.open()
    clock.advance(60)
    latest = try log.commit(Batch(requests: 1)).firstSequence
    clock.advance(-60)
    for number in 0..<60 {
      _ = try log.commit(Batch(requests: UInt64(number)))
      clock.advance(number.isMultiple(of: 10) ? 1 : 0)
    }
    try log.close()
  }

  private var segments: [Record] {
    get throws { try records.filter { $0.operation == "segment" } }
  }

  private var records: [Record] {
    get throws {
      var found: [Record] = []
      try LogReader(test.directory).forEachRecord { record, _ in
        found.append(record)
        return true
      }
      return found
    }
  }

  @Test(
    "[AUD-SEG-4] each later segment says how late the records before it are, also after another start, and none before the clock was set back"
  )
  func newest() throws {
    let ahead = try #require(try records.first { $0.sequence == latest }).time
    #expect(try segments.count > 4 && segments[0].eventText("newest") == nil)
    try test.open().close()
    for segment in try segments.dropFirst() {
      #expect(
        segment.eventText("newest") == ahead.description
          && segment.latestBefore(at: segment.time) == ahead && segment.time < ahead)
    }
    #expect(test.verify(.every).verdict == .good)
  }

  @Test("[AUD-SEG-4] and no more once the clock has come there") func caughtUp() throws {
    clock.advance(90)
    let log = try test.open()
    let before = try segments.count
    while try segments.count < before + 2 { _ = try log.commit(Batch(requests: 1)) }
    try log.close()
    #expect(try segments.last?.eventText("newest") == nil)
  }

  @Test(
    "[AUD-OPEN-7] who reads from a time on reads the records of the clock that was ahead, and nothing older than that"
  ) func since() throws {
    let all = try records
    for minutes in [-1, 3, 30, 60] as [Int64] {
      let since = try #require(all.first).time.adding(seconds: 60 * minutes)
      var read: [UInt64] = []
      let extent = try LogReader(test.directory).forEachRecord(since: since) { record, _ in
        read.append(record.sequence)
        return true
      }
      let wanted = all.first { $0.time >= since }.map(\.sequence)
      #expect(extent == .all && read.first == wanted && read.count == all.count - Int(wanted ?? 0))
    }
    #expect(
      try LogReader(test.directory).forEachRecord(since: all[0].time.adding(seconds: 3601)) {
        _, _ in false
      } == .all)
  }

  @Test("[AUD-OPEN-7] what is missing may be as late as the clock was") func missing() throws {
    let first = try segments[0]
    test.disk.unplant(TestLog.path + "/00000000000000000000.log")
    let extent = try LogReader(test.directory).forEachRecord(
      since: first.time.adding(seconds: 1800)
    ) { _, _ in true }
    let next = try segments[0]
    #expect(extent == .from(sequence: next.sequence, time: first.time.adding(seconds: 3600)))
  }

  @Test func noneIsPrunedBeforeItsTime() throws {
    let retention = Retention(test.directory, test.signer.verifier)
    let first = try segments[0].time
    #expect(try retention.expired(before: first.adding(seconds: 3599), at: clock.now) == nil)
    let pruning = try #require(
      try retention.expired(before: first.adding(seconds: 3600), at: clock.now))
    #expect(pruning.end == first.adding(seconds: 3600))
  }
}
