import Audit
import Crypto
import Format
import Foundation
import Host
import Policy
import Review
import TestSupport
import Testing

@Suite struct AuditLogTests {
  @Test func aLogIsOpenedWrittenClosedAndContinued() throws {
    let test = try TestLog()
    #expect(test.verify().verdict == .unreadable(nil))
    let log = try test.open()
    let receipt = try log.commit(Batch(requests: 1, 2, 3))
    let first = receipt.firstSequence
    let count = receipt.count
    #expect(first == 2 && count == 3)
    #expect(test.verify().verdict == .good, "a running log is good, with its unused space")
    try log.close()
    #expect(
      try test.operations() == ["segment", "start"]
        + Array(repeating: "open-payment-token", count: 3) + ["stop"])
    #expect(log.head == test.verify().head)

    let again = try test.copy().open(anchor: log.head)
    #expect(again.head.size == log.head.size + 1)
    #expect(again.verifier.vkey == log.verifier.vkey)
  }

  @Test(
    "[AUD-SEG-1] [AUD-SEG-3] what begins with a brace is a record, and the rest of a segment in use is zeros, which a stop cuts off"
  )
  func aSegmentsLines() throws {
    let test = try TestLog()
    let log = try test.open()
    _ = try log.commit(Batch(requests: 1, 2))
    let name = TestLog.path + "/00000000000000000000.log"
    let inUse = try #require(test.disk.contents(name))
    let text = inUse.prefix { $0 != 0 }
    #expect(
      text.count < inUse.count && inUse[text.count...].allSatisfy { $0 == 0 } && text.last == 0x0A)
    try log.close()
    let bytes = try #require(test.disk.contents(name))
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
    let records = lines.filter { $0.first == UInt8(ascii: "{") }
    #expect(records.count == 5 && UInt64(records.count) == log.head.size)
    #expect(bytes.last == 0x0A && lines.last?.starts(with: Array("\u{2014} ".utf8)) == true)
    #expect(bytes.count == text.count + lines.suffix(6).reduce(0) { $0 + $1.count + 1 })
  }

  @Test func aClosedLogTakesNothing() throws {
    let log = try TestLog().open()
    try log.close()
    #expect(throws: AuditError.unavailable) { _ = try log.commit(Batch(requests: 1)) }
    #expect(throws: AuditError.unavailable) { try log.close() }
    #expect(log.failure == nil)
  }

  /// [AUD-DIR-3]
  @Test func thereIsOneWriter() throws {
    let test = try TestLog()
    do {
      let log = try test.open()
      #expect(throws: AuditError.inUse) { try test.open() }
      #expect(log.failure == nil)
    }
    let log = try test.open()
    #expect(log.head.size > 2)
  }

  /// [AUD-DIR-1] [AUD-DIR-2]
  @Test func segmentsFollowEachOtherBySize() throws {
    let test = try TestLog(segmentLimit: 3000)
    let log = try test.open()
    for number in 0..<20 { _ = try log.commit(Batch(requests: UInt64(number), UInt64(number))) }
    try log.close()
    let names = try test.segments().keys.sorted()
    #expect(names.count > 3)
    #expect(names[0] == "00000000000000000000.log")
    let found = test.verify(anchor: log.head)
    #expect(found.verdict == .good)
    #expect(found.segmentCount == names.count)
    #expect(found.head == log.head)
    #expect(try test.requests() == (0..<20).flatMap { [UInt64($0), UInt64($0)] })

    // Continuing needs the last segment only; the others could be on tape, and the rest still
    // verifies.
    for name in names.dropLast() { test.disk.unplant(TestLog.path + "/" + name) }
    let again = try test.open()
    _ = try again.commit(Batch(requests: 99))
    try again.close()
    let rest = test.verify()
    #expect(rest.verdict == .good)
    #expect(rest.firstSequence > 0)
    #expect(rest.head == again.head)
  }

  @Test func recordsAreFoundBySequenceAndTime() throws {
    var test = try TestLog(segmentLimit: 2500)
    let ticks = Ticks()
    test.settings = AuditSettings(boot: test.settings.boot, clock: { ticks.next() })
    test.settings.segmentLimit = 2500
    test.settings.allocation = 2048
    let log = try test.open()
    for number in 0..<30 { _ = try log.commit(Batch(requests: UInt64(number))) }
    var times: [Timestamp] = []
    try log.reader.forEachRecord { record, _ in
      #expect(record.sequence == UInt64(times.count))
      times.append(record.time)
      return true
    }
    #expect(UInt64(times.count) == log.head.size)
    for sequence in times.indices {
      var found: [UInt64] = []
      try log.reader.forEachRecord(from: UInt64(sequence)) { record, _ in
        found.append(record.sequence)
        return found.count < 2
      }
      #expect(found.first == UInt64(sequence))
      var since: UInt64?
      try log.reader.forEachRecord(since: times[sequence]) { record, _ in
        since = record.sequence
        return false
      }
      #expect(since == times.firstIndex { $0 >= times[sequence] }.map(UInt64.init))
    }
    for sequence in times.indices {
      var found: [UInt64] = []
      try log.reader.forEachLine(from: UInt64(sequence)) { place, line in
        found.append(place)
        let record = try? Record(parsing: line)
        #expect(record?.sequence == place)
        return true
      }
      #expect(found == Array(UInt64(sequence)..<UInt64(times.count)))
    }
    try log.reader.forEachLine(from: 1_000_000) { _, _ in
      Issue.record("there is no such line")
      return true
    }
    try log.reader.forEachRecord(from: 1_000_000) { _, _ in
      Issue.record("there is no such record")
      return true
    }
  }

  /// Whoever opened the log, a segment's age is that of its first record.
  @Test func aSegmentEndsByItsAge() throws {
    var test = try TestLog()
    let clock = TurnedClock()
    let boot = test.settings.boot
    test.settings = AuditSettings(boot: boot, clock: { clock.now })
    test.settings.allocation = 2048
    test.settings.segmentAge = 3_600_000_000
    let log = try test.open()
    for minutes in [0, 30, 29] {
      clock.advance(minutes)
      _ = try log.commit(Batch(requests: 1))
    }
    #expect(try test.segments().count == 1)
    try log.close()
    clock.advance(1)
    let again = try test.open()
    #expect(try test.segments().count == 2, "an hour after the first record")
    clock.advance(59)
    _ = try again.commit(Batch(requests: 2))
    #expect(try test.segments().count == 2)
    clock.advance(1)
    _ = try again.commit(Batch(requests: 3))
    #expect(try test.segments().count == 3)
    try again.close()
    #expect(test.verify(anchor: nil, .every).verdict == .good)
    #expect(try test.operations().count { $0 == "segment" } == 3)
  }

  @Test("[AUD-SEG-5] a segment that began while the clock was ahead ends when the clock is right")
  func aSegmentOfTheFuture() throws {
    var test = try TestLog()
    let clock = TurnedClock()
    test.settings = AuditSettings(boot: test.settings.boot, clock: { clock.now })
    test.settings.allocation = 2048
    test.settings.segmentAge = 3_600_000_000
    clock.advance(120)
    let log = try test.open()
    clock.advance(-59)
    _ = try log.commit(Batch(requests: 1))
    #expect(try test.segments().count == 1, "less than an hour")
    clock.advance(-1)
    _ = try log.commit(Batch(requests: 2))
    #expect(try test.segments().count == 2)
    clock.advance(59)
    _ = try log.commit(Batch(requests: 3))
    #expect(try test.segments().count == 2)
    try log.close()
    #expect(test.verify(anchor: nil, .every).verdict == .good)
  }

  @Test func manyThreadsShareCommits() throws {
    let test = try TestLog(segmentLimit: 40_000)
    let log = try test.open()
    let receipts = Collected()
    let threads = (0..<8).map { thread in
      Thread {
        for i in 0..<200 {
          guard let receipt = try? log.commit(Batch(requests: UInt64(thread * 1000 + i))) else {
            return
          }
          receipts.add(receipt.firstSequence, UInt64(thread * 1000 + i))
        }
        receipts.finish()
      }
    }
    for thread in threads { thread.start() }
    receipts.wait(8)
    try log.close()
    #expect(receipts.all.count == 1600)
    var inLog: [UInt64: UInt64] = [:]
    try log.reader.forEachRecord { record, _ in
      if let request = record.request { inLog[record.sequence] = request }
      return true
    }
    #expect(inLog == receipts.all)
    #expect(test.verify(anchor: log.head).verdict == .good)
  }

  @Test func aClockThatCannotBeWrittenStopsTheLog() throws {
    var test = try TestLog()
    let ticks = Ticks()
    test.settings = AuditSettings(boot: test.settings.boot, clock: { ticks.next() })
    let log = try test.open()
    ticks.jump(to: Timestamp(seconds: 300_000_000_000))
    #expect(throws: AuditError.unavailable) { _ = try log.commit(Batch(requests: 1)) }
    #expect(log.failure == .clock)
  }

  @Test func realFilesHoldALog() throws {
    let test = try TestLog()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let directory = LogDirectory(folder.path)
    let log = try AuditLog(
      directory, signer: test.signer, start: TestLog.start, settings: test.settings)
    _ = try log.commit(Batch(requests: 1, 2))
    try log.close()
    #expect(LogVerifier(test.signer.verifier).verify(directory).verdict == .good)
  }
}

/// A clock that goes one microsecond at a time.
private final class Ticks: @unchecked Sendable {
  private let lock = NSLock()
  private var now = Timestamp(seconds: 1_800_000_000)

  func next() -> Timestamp {
    lock.withLock {
      now = Timestamp(microseconds: now.microseconds + 1)
      return now
    }
  }

  func jump(to time: Timestamp) { lock.withLock { now = time } }
}

private final class Collected: @unchecked Sendable {
  private let condition = NSCondition()
  private var found: [UInt64: UInt64] = [:]
  private var finished = 0

  var all: [UInt64: UInt64] { condition.withLock { found } }
  func add(_ sequence: UInt64, _ request: UInt64) {
    condition.withLock { found[sequence] = request }
  }

  func finish() {
    condition.withLock {
      finished += 1
      condition.broadcast()
    }
  }

  func wait(_ count: Int) { condition.withLock { while finished < count { condition.wait() } } }
}
