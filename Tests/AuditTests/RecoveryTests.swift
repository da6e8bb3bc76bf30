import Audit
import Crypto
import Host
import Review
import TestSupport
import Testing

@Suite struct RecoveryTests {
  /// A log of three commits, ended by a crash, and its one segment.
  private func crashed() throws -> (TestLog, head: TreeHead, segment: [UInt8]) {
    let test = try TestLog()
    let log = try test.open()
    _ = try log.commit(Batch(requests: 1))
    _ = try log.commit(Batch(requests: 2, 3))
    let segment = try #require(test.disk.contents(Self.name))
    return (test.afterCrash(.losesUnsynced), log.head, segment.trimmed)
  }

  private static let name = TestLog.path + "/00000000000000000000.log"

  @Test func aCrashIsNoticed() throws {
    let (test, head, _) = try crashed()
    #expect(test.verify().verdict == .good)
    let log = try test.open(anchor: head)
    #expect(try Array(test.operations().suffix(2)) == ["unclean-start", "start"])
    #expect(try test.requests() == [1, 2, 3])
    #expect(log.head.size == head.size + 2)
    #expect(test.verify(anchor: head).verdict == .good)
    #expect(try test.disk.list(TestLog.path) == ["00000000000000000000.log", "lock"])
  }

  @Test func anOrderlyStopIsNot() throws {
    let test = try TestLog()
    try test.open().close()
    let next = test.copy()
    _ = try next.open()
    #expect(try next.operations() == ["segment", "start", "stop", "start"])
  }

  /// What a crash can leave behind the last checkpoint; none of it was ever acknowledged.
  @Test(arguments: [
    "{\"actor\":", "{", "x", "\0\0x", "\n", "{}\n", "{\"a\":1}\n{\"b\":", "kist.test/audit\n",
    "kist.test/audit\n7\n", "\u{2014} ",
    "{\"boot\":\"x\",\"op\":\"x\",\"prev\":\"\",\"seq\":7,\"ts\":\"2027-01-15T08:00:00.000000Z\",\"v\":1}\n",
    String(repeating: "{", count: 70_000),
  ])
  func tornTailsArePutAside(_ tail: String) throws {
    let (test, head, segment) = try crashed()
    test.disk.plant(Self.name, segment + Array(tail.utf8) + [0, 0, 0, 0])
    guard case .torn(let bytes, _) = test.verify().verdict else {
      Issue.record("torn bytes are not good: \(test.verify().verdict)")
      return
    }
    #expect(bytes == tail.utf8.count)
    let log = try test.open(anchor: head)
    #expect(try Array(test.operations().suffix(3)) == ["recovery", "unclean-start", "start"])
    #expect(try test.requests() == [1, 2, 3])
    #expect(test.verify(anchor: head).verdict == .good)

    let torn = try test.disk.list(TestLog.path + "/torn")
    #expect(torn.count == 1)
    #expect(test.disk.contents(TestLog.path + "/torn/" + torn[0]) == Array(tail.utf8))
    #expect(torn[0] == "00000000000000000005-" + SHA256.hash(Array(tail.utf8)).hex)
    var event = ""
    try log.reader.forEachRecord { record, line in
      if record.operation == "recovery" {
        event = String(decoding: (0..<line.count).map { line[$0] }, as: UTF8.self)
      }
      return true
    }
    #expect(event.contains(#""bytes":\#(tail.utf8.count),"#))
    #expect(event.contains(#""sha256":"\#(SHA256.hash(Array(tail.utf8)).hex)""#))
  }

  /// [AUD-OPEN-2] [AUD-DIR-3] A batch of which only the beginning, at every length, or only the end
  /// is there.
  @Test func everyPartOfABatchIsPutAside() throws {
    let test = try TestLog()
    let log = try test.open()
    let before = try #require(test.disk.contents(Self.name)).trimmed
    _ = try log.commit(Batch(requests: 1, 2))
    let after = try #require(test.disk.contents(Self.name)).trimmed
    let batch = Array(after[before.count...])
    for length in stride(from: 1, to: batch.count, by: 7) {
      for part in [
        Array(batch[..<length]), [UInt8](repeating: 0, count: length) + batch[length...],
      ] {
        let next = test.copy()
        next.disk.plant(Self.name, before + part)
        #expect(next.verify().verdict.exitCode == 4, "length \(length)")
        _ = try next.open()
        #expect(try next.requests() == [])
        #expect(next.verify().verdict == .good, "length \(length)")
      }
    }
  }

  @Test func aSegmentWithoutACheckpointIsPutAsideWhole() throws {
    let test = try TestLog(segmentLimit: 2000)
    let log = try test.open()
    while try test.segments().count < 3 { _ = try log.commit(Batch(requests: 1)) }
    let names = try test.segments().keys.sorted()
    let last = TestLog.path + "/" + names[2]
    let bytes = try #require(test.disk.contents(last))
    let head = log.head

    for content in [[], [0, 0, 0], Array(bytes[..<100]), Array("{}\n".utf8)] as [[UInt8]] {
      let next = test.afterCrash(.losesUnsynced)
      next.disk.plant(last, content)
      #expect(throws: AuditError.self) { try next.open(anchor: head) }
      #expect(next.disk.contents(last) == content, "a refused log is not touched")
      _ = try next.open()
      #expect(next.verify().verdict == .good)
      let isEmpty = content.allSatisfy { $0 == 0 }
      #expect(try next.operations().contains("recovery") == !isEmpty)
    }
  }

  @Test func theVeryFirstCommitMayBeTorn() throws {
    let (test, head, segment) = try crashed()
    test.disk.plant(Self.name, Array(segment[..<200]))
    #expect(throws: AuditError.truncated(size: 0, expected: head.size)) {
      try test.open(anchor: head)
    }
    _ = try test.open()
    #expect(try test.operations() == ["segment", "recovery", "start"])
    #expect(test.verify().verdict == .good)
  }

  /// Every changing call of opening, committing, rolling and closing fails in every way, and then
  /// power is lost in every way: what was acknowledged is there, in order, and nothing else but
  /// what was being committed.
  @Test func noAcknowledgedRecordIsLostByAnyFault() throws {
    let start = try TestLog(segmentLimit: 2500)
    let (_, calls) = try FaultMatrix(from: start.disk).run { disk in
      Self.run(start.on(disk))
    } _: { disk, outcome, point in
      let next = start.on(disk)
      let log = try next.open(anchor: outcome.head)
      let found = try next.requests()
      #expect(found.starts(with: outcome.acknowledged), "\(point)")
      #expect((0..<UInt64(outcome.attempted)).starts(with: found), "\(point)")
      _ = try log.commit(Batch(requests: 1000))
      try log.close()
      #expect(next.verify(anchor: log.head).verdict == .good, "\(point)")
      #expect(try next.requests() == found + [1000])
    }
    #expect(calls > 25)
  }

  private struct Run {
    var acknowledged: [UInt64] = []
    var attempted = 0
    var head: TreeHead?
  }

  private static func run(_ test: TestLog) -> Run {
    var run = Run()
    guard let log = try? test.open() else { return run }
    run.head = log.head
    for number in 0..<8 {
      run.attempted += 1
      guard let receipt = try? log.commit(Batch(requests: UInt64(number))) else {
        // Once is for ever.
        #expect(throws: AuditError.unavailable) { _ = try log.commit(Batch(requests: 500)) }
        #expect(log.failure != nil)
        return run
      }
      _ = receipt.count
      run.acknowledged.append(UInt64(number))
      run.head = log.head
    }
    try? log.close()
    return run
  }

  /// [AUD-OPEN-5] A recovery that itself is cut short, at every call, ends in the same log.
  @Test func recoveryCanBeRepeated() throws {
    let (test, head, segment) = try crashed()
    test.disk.plant(Self.name, segment + Array("{\"half\":".utf8))
    let (_, calls) = try FaultMatrix(from: test.disk).run { disk in
      _ = try? test.on(disk).open(anchor: head)
    } _: { disk, _, point in
      let last = test.on(disk)
      _ = try last.open(anchor: head)
      // The recovery's own batch may be torn in its turn.
      let recoveries = try last.operations().count { $0 == "recovery" }
      #expect((1...2).contains(recoveries), "\(point)")
      #expect(try last.disk.list(TestLog.path + "/torn").count { !$0.hasPrefix(".") } == recoveries)
      #expect(try last.requests() == [1, 2, 3])
      #expect(last.verify(anchor: head).verdict == .good)
    }
    #expect(calls > 10)
  }
}

extension [UInt8] {
  /// Without the zeros at the end.
  var trimmed: [UInt8] {
    var bytes = self
    while bytes.last == 0 { bytes.removeLast() }
    return bytes
  }
}
