import Audit
import Format
import Review
import TestSupport
import Testing

/// What the log says of segments that are not there any more, whoever took them away.
@Suite struct RemovalTests {
  private let test: TestLog

  init() throws {
    test = try TestLog(segmentLimit: 2500)
    let log = try test.open()
    while try test.segments().count < 5 { _ = try log.commit(Batch(requests: 1, 2)) }
    try log.close()
  }

  private var names: [String] { get throws { try test.segments().keys.sorted() } }

  /// `first` and `oldest` of each removal on the record.
  private func removals() throws -> [[CanonicalJSON]] {
    var found: [[CanonicalJSON]] = []
    try LogReader(test.directory).forEachRecord { record, _ in
      if record.operation == "segments-removed" { found.append(record.event.map(\.value)) }
      return true
    }
    return found
  }

  private func first(_ name: String) throws -> CanonicalJSON {
    .integer(try #require(Int64(name.dropLast(4))))
  }

  private func remove(_ count: Int) throws {
    for name in try names.prefix(count) { test.disk.unplant(TestLog.path + "/" + name) }
  }

  @Test func theNextStartPutsThemOnTheRecordOnce() throws {
    let before = try names
    try test.open().close()
    #expect(try removals().isEmpty)
    try remove(2)
    try test.open().close()
    #expect(try removals() == [[.integer(0), first(before[2])]])
    try test.open().close()
    #expect(try removals().count == 1)
    try remove(1)
    try test.open().close()
    #expect(try removals().last == [first(before[2]), first(before[3])])
    #expect(try removals().count == 2)
    #expect(test.verify(.every).verdict == .good)
  }

  @Test func theNextSegmentDoesWhileTheDaemonRuns() throws {
    let log = try test.open()
    let before = try names
    try remove(1)
    _ = try log.commit(Batch(requests: 3))
    while try names.count < before.count { _ = try log.commit(Batch(requests: 4, 5)) }
    #expect(try removals() == [[.integer(0), first(before[1])]])
    while try names.count < before.count + 2 { _ = try log.commit(Batch(requests: 4, 5)) }
    #expect(try removals().count == 1)
    try log.close()
    #expect(test.verify(.every).verdict == .good)
  }

  @Test func aCompressedSegmentIsStillThere() throws {
    let name = try #require(try names.first)
    test.disk.plant(TestLog.path + "/" + name + ".zst", [1, 2, 3])
    try remove(1)
    try test.open().close()
    #expect(try removals().isEmpty)
    test.disk.unplant(TestLog.path + "/" + name + ".zst")
    test.disk.plant(TestLog.path + "/" + name + ".gz", [1, 2, 3])
    try test.open().close()
    #expect(try removals().count == 1)
  }

  /// Cut short by a full disk, a crash or a second start: it is said at the latest by the next
  /// segment.
  @Test(arguments: SimulatedDisk.Crash.allCases) func aCrashDoesNotHideThem(
    _ crash: SimulatedDisk.Crash
  ) throws {
    let before = try names
    try remove(2)
    let calls = test.disk.changingCalls
    for call in 0..<6 {
      let victim = test.copy()
      victim.disk.fail(call: victim.disk.changingCalls + call, .notDone, errno: 5)
      _ = try? victim.open()
      let next = victim.afterCrash(crash)
      try next.open().close()
      var found: [[CanonicalJSON]] = []
      try LogReader(next.directory).forEachRecord { record, _ in
        if record.operation == "segments-removed" { found.append(record.event.map(\.value)) }
        return true
      }
      #expect(try found == [[.integer(0), first(before[2])]], "call \(call)")
    }
    #expect(test.disk.changingCalls == calls)
  }
}
