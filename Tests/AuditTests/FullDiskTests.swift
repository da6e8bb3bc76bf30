import Audit
import Host
import Review
import TestSupport
import Testing

/// A disk that is full is put on the record with the space kept for it, and nothing of the refused
/// batch is.
@Suite struct FullDiskTests {
  private func full(reserve: Int = 8192, segmentLimit: Int = 64 << 20) throws -> (
    TestLog, AuditLog, taken: Int
  ) {
    var test = try TestLog(segmentLimit: segmentLimit)
    test.settings.reserve = reserve
    let log = try test.open()
    test.disk.fill(to: test.disk.usedBytes)
    var taken = 0
    do throws(AuditError) {
      while taken < 1000 {
        _ = try log.commit(Batch(requests: UInt64(taken)))
        taken += 1
      }
    } catch {
      #expect(error == .full)
    }
    return (test, log, taken)
  }

  /// [AUD-SEG-6] [AUD-DIR-3]
  @Test(arguments: [64 << 20, 3000]) func itGoesOnOnceThereIsSpace(_ segmentLimit: Int) throws {
    let (test, log, taken) = try full(segmentLimit: segmentLimit)
    #expect(log.isFull && log.space == .full && log.failure == nil)
    #expect(throws: AuditError.full) { _ = try log.commit(Batch(requests: 99)) }
    #expect(!log.resume())
    #expect(try test.operations().last == "log-full")
    #expect(test.verify(anchor: log.head, .every).verdict == .good)

    test.disk.fill(to: nil)
    #expect(log.resume())
    #expect(!log.isFull && log.space == .ample)
    _ = try log.commit(Batch(requests: 100))
    #expect(try test.requests() == (0..<UInt64(taken)) + [100])
    #expect(try test.operations().filter { $0.hasPrefix("log-") } == ["log-full", "log-resumed"])
    #expect(log.resume(), "a log that is open needs nothing")
    try log.close()
    #expect(test.verify(anchor: log.head, .every).verdict == .good)
  }

  @Test func itStopsInOrderWhileItIsFull() throws {
    let (test, log, _) = try full()
    try log.close()
    #expect(try test.operations().suffix(2) == ["log-full", "stop"])
    #expect(throws: AuditError.unavailable) { _ = try log.commit(Batch(requests: 1)) }
    test.disk.fill(to: nil)
    let again = try test.copy().open()
    #expect(again.head.size > log.head.size)
  }

  @Test(arguments: SimulatedDisk.Crash.allCases) func aCrashWhileItIsFullLosesNothing(
    _ crash: SimulatedDisk.Crash
  ) throws {
    let (test, log, taken) = try full()
    let after = test.afterCrash(crash)
    let again = try after.open(anchor: log.head)
    #expect(try after.requests().count == taken)
    #expect(!again.isFull)
    #expect(after.verify(.every).verdict == .good)
  }

  @Test func spaceThatSomebodyElseTakesIsMissed() throws {
    let (test, log, taken) = try full()
    // Not enough for the reserve and what comes after it.
    test.disk.fill(to: test.disk.usedBytes + 8192)
    #expect(!log.resume())
    #expect(try test.requests().count == taken)
  }

  @Test("it stops in order wherever the disk becomes full, also with the stop's own record")
  func itStopsWhereverItIsFull() throws {
    for before in 0..<40 {
      var test = try TestLog()
      test.settings.reserve = 4096
      let log = try test.open()
      test.disk.fill(to: test.disk.usedBytes)
      for _ in 0..<before { _ = try? log.commit(Batch(requests: 1)) }
      try log.close()
      #expect(test.verify(.every).verdict == .good, "\(before)")
    }
  }

  @Test func nearlyFullIsSaidBefore() throws {
    var test = try TestLog()
    test.settings.reserve = 4096
    test.settings.lowSpace = 10_000
    let log = try test.open()
    #expect(log.space == .ample)
    test.disk.fill(to: test.disk.usedBytes + 9999)
    #expect(log.space == .low)
    _ = try log.commit(Batch(requests: 1))
  }

  /// Without the means to say so, a full disk is as any other error.
  @Test func withoutAReserveItIsTheEnd() throws {
    let test = try TestLog()
    let log = try test.open()
    test.disk.fill(to: test.disk.usedBytes)
    #expect(throws: AuditError.unavailable) {
      while true { _ = try log.commit(Batch(requests: 1)) }
    }
    #expect(log.failure == .disk(DiskError(.write, errno: DiskError.full)))
    test.disk.fill(to: nil)
    #expect(throws: AuditError.unavailable) { _ = try log.commit(Batch(requests: 1)) }
  }

  /// [AUD-SEG-2] [AUD-SEG-6] The kernel may have marked the lost pages clean: what a sync says once
  /// is final, whatever the reason.
  @Test(arguments: [28, 5] as [Int32]) func afterAFailedSyncItNeverGoesOn(_ errno: Int32) throws {
    var test = try TestLog()
    test.settings.reserve = 4096
    let log = try test.open()
    // The next commit's write, then its sync.
    test.disk.fail(call: test.disk.changingCalls + 1, .notDone, errno: errno)
    #expect(throws: AuditError.unavailable) { _ = try log.commit(Batch(requests: 1)) }
    #expect(log.failure == .disk(DiskError(.sync, errno: errno)))
    #expect(log.resume() && !log.isFull)
    #expect(throws: AuditError.unavailable) { _ = try log.commit(Batch(requests: 2)) }
  }

  /// A tree head that is kept elsewhere must not count records that a crash may take: the start
  /// after it would call the log cut.
  @Test(
    "after a write that failed the head counts what is durable", arguments: [28, 5] as [Int32],
    [SimulatedDisk.Fault.doneButError, .notDone])
  func theHeadCountsWhatIsDurable(_ errno: Int32, _ fault: SimulatedDisk.Fault) throws {
    for call in 0..<8 {
      let (test, log, taken) = try full()
      test.disk.fill(to: nil)
      test.disk.fail(call: test.disk.changingCalls + call, fault, errno: errno)
      _ = log.resume()
      _ = try? log.commit(Batch(requests: 1000))
      let after = test.afterCrash(.losesUnsynced)
      _ = try after.open(anchor: log.head)
      #expect(try after.requests().count >= taken, "call \(call)")
    }
  }

  /// ENOSPC, EDQUOT, ENOMEM, ENFILE, EMFILE: at each file and directory that a new segment opens,
  /// and at those that the reserve does.
  @Test(
    "a new segment that cannot be opened is waited for, as a full disk is",
    arguments: [28, 122, 12, 23, 24] as [Int32])
  func aSegmentThatCannotBeOpenedIsWaitedFor(_ errno: Int32) throws {
    var refused = 0
    for opening in 0..<40 {
      var test = try TestLog(segmentLimit: 3000)
      test.settings.reserve = 8192
      let log = try test.open()
      test.disk.failOpenings(from: opening, errno: errno)
      var taken: [UInt64] = []
      for number in 0..<8 as Range<UInt64> where (try? log.commit(Batch(requests: number))) != nil {
        taken.append(number)
      }
      #expect(log.failure == nil, "opening \(opening)")
      if log.isFull {
        refused += 1
        #expect(!log.resume() && log.isFull && log.failure == nil, "opening \(opening)")
        test.disk.failOpenings(from: nil)
        #expect(log.resume(), "opening \(opening)")
      }
      _ = try log.commit(Batch(requests: 99))
      test.disk.failOpenings(from: nil)
      #expect(try test.requests() == taken + [99], "opening \(opening)")
      try log.close()
      #expect(test.verify(anchor: log.head, .every).verdict == .good, "opening \(opening)")
    }
    #expect((5..<40).contains(refused))
  }

  @Test("only a shortage is waited for", arguments: [5, 13, 30] as [Int32])
  func anotherErrorAtARollIsTheEnd(_ errno: Int32) throws {
    var test = try TestLog(segmentLimit: 3000)
    test.settings.reserve = 8192
    let log = try test.open()
    test.disk.failOpenings(from: 0, errno: errno)
    #expect(throws: AuditError.unavailable) {
      for _ in 0..<8 { _ = try log.commit(Batch(requests: 1)) }
    }
    test.disk.failOpenings(from: nil)
    #expect(log.resume() && log.failure == .disk(DiskError(.open, errno: errno)))
    #expect(throws: AuditError.unavailable) { _ = try log.commit(Batch(requests: 2)) }
  }

  @Test("without a reserve the journal says what was missing") func aShortageWithoutAReserve()
    throws
  {
    let test = try TestLog(segmentLimit: 3000)
    let log = try test.open()
    test.disk.failOpenings(from: 0)
    #expect(throws: AuditError.unavailable) {
      for _ in 0..<8 { _ = try log.commit(Batch(requests: 1)) }
    }
    #expect(log.failure == .disk(DiskError(.open, errno: 24)))
  }

  /// Whoever closes the log waits for the one who tries to go on: that one's failed write must be
  /// the last.
  @Test(
    "a failure while the log is closed ends it, and nothing is written after it", arguments: 0..<2)
  func aFailureWhileClosingIsFinal(_ call: Int) throws {
    var test = try TestLog()
    let isHeld = Locked(false)
    let isWriting = Signal()
    let mayWrite = Signal()
    let settings = test.settings
    let clock = test.settings.clock
    test.settings = AuditSettings(boot: settings.boot) {
      if isHeld.withLock({ $0 }) {
        isWriting.give()
        mayWrite.wait()
      }
      return clock()
    }
    test.settings.reserve = 8192
    let log = try test.open()
    test.disk.fill(to: test.disk.usedBytes)
    while !log.isFull { _ = try? log.commit(Batch(requests: 1)) }
    test.disk.fill(to: nil)

    let resumed = Handover<Bool>()
    let closed = Handover<AuditError?>()
    isHeld.withLock { $0 = true }
    try #require(Thread.start { resumed.give(log.resume()) })
    isWriting.wait()
    try #require(Thread.start { closed.give(#expect(throws: AuditError.self) { try log.close() }) })
    while log.isFull { Thread.sleep(nanoseconds: 100_000) }
    // The batch's write, or its sync.
    let failing = test.disk.changingCalls + call
    test.disk.fail(call: failing, .torn, errno: DiskError.inputOutput)
    mayWrite.give()
    #expect(!resumed.take() && closed.take() == .unavailable)
    #expect(
      log.failure == .disk(DiskError(call == 0 ? .write : .sync, errno: DiskError.inputOutput)))
    #expect(test.disk.changingCalls == failing + 1)

    var after = test.copy()
    after.settings = settings
    try after.open().close()
    #expect(after.verify(anchor: log.head, .every).verdict == .good)
  }
}
