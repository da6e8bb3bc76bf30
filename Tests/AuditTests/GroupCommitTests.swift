import Audit
import Host
import Review
import Synchronization
import TestSupport
import Testing

/// What many who commit at once may rely on.
@Suite struct GroupCommitTests {
  /// Batches of `callers` threads that do not wait for one another's, each settled when `wait`
  /// returns.
  private final class Load: Sendable {
    let log: AuditLog
    private let settled = Locked<[UInt64?]>([])
    private let callers: Int
    private let each: Int

    /// - Parameter takeTurns: whether a caller waits for each of its batches, so that there are as
    ///   many commits at least as each caller has batches.
    init(
      _ log: AuditLog, callers: Int, each: Int, takeTurns: Bool = false,
      _ onSettling: @escaping @Sendable (AuditLog) -> Void = { _ in }
    ) {
      self.log = log
      self.callers = callers
      self.each = each
      for caller in 0..<callers {
        let started = Thread.start { [self] in
          for i in 0..<each {
            let turn = Signal()
            log.commit(Batch(requests: UInt64(1000 * caller + i))) { settlement in
              onSettling(log)
              let first = Load.first(settlement)
              self.settled.withLock { $0.append(first) }
              turn.give()
            }
            if takeTurns { turn.wait() }
          }
        }
        #expect(started)
      }
    }

    /// First sequences in the order of settling; nil for refusals.
    var all: [UInt64?] { settled.withLock { $0 } }

    static func first(_ settlement: consuming AuditLog.Settlement) -> UInt64? {
      switch consume settlement {
      case .success(let receipt): receipt.firstSequence
      case .failure: nil
      }
    }

    func wait() { while all.count < callers * each { Thread.sleep(nanoseconds: 100_000) } }
  }

  @Test(
    "batches are settled once each, in the order of their records, when these are durable, and who is told may ask the log"
  ) func order() throws {
    let test = try TestLog()
    let log = try test.open()
    let load = Load(log, callers: 6, each: 100) { log in
      #expect(!log.isFull && log.failure == nil)
    }
    load.wait()
    let firsts = load.all.compactMap { $0 }
    #expect(firsts.count == 600 && firsts == firsts.sorted() && Set(firsts).count == 600)
    #expect(try test.requests().count == 600)
    try log.close()
    #expect(test.verify(anchor: log.head).verdict == .good)
  }

  @Test("a caller goes on while others write, and what it committed is written without it")
  func goingOn() throws {
    let test = try TestLog()
    let log = try test.open()
    let isSettling = Handover<Void>()
    let release = Handover<Void>()
    let started = Thread.start {
      log.commit(Batch(requests: 1)) { _ in
        isSettling.give(())
        release.take()
      }
    }
    #expect(started)
    isSettling.take()
    let second = Handover<UInt64?>()
    let size = log.head.size
    log.commit(Batch(requests: 2)) { settlement in second.give(Load.first(settlement)) }
    // Nothing is written behind a batch whose settlement is under way.
    #expect(log.head.size == size)
    release.give(())
    #expect(second.take() == size)
    #expect(try test.requests() == [1, 2])
    try log.close()
  }

  @Test("without a thread of its own the log is written by who leads") func withoutThread() throws {
    var test = try TestLog()
    let asked = Atomic(0)
    test.settings.startThread = { _ in
      asked.add(1, ordering: .relaxed)
      return false
    }
    let log = try test.open()
    let isSettling = Handover<Void>()
    let release = Handover<Void>()
    let leads = Thread.start {
      log.commit(Batch(requests: 1)) { _ in
        isSettling.give(())
        release.take()
      }
    }
    #expect(leads)
    isSettling.take()
    let second = Handover<UInt64?>()
    log.commit(Batch(requests: 2)) { settlement in second.give(Load.first(settlement)) }
    release.give(())
    #expect(second.take() != nil && asked.load(ordering: .relaxed) == 1)
    let load = Load(log, callers: 8, each: 50)
    load.wait()
    #expect(load.all.compactMap { $0 }.count == 400)
    try log.close()
    #expect(test.verify(anchor: log.head).verdict == .good)
  }

  @Test("in a pause all that is durable is settled, and nothing becomes durable; then it goes on")
  func pause() throws {
    let test = try TestLog()
    let log = try test.open()
    let base = log.head.size
    let load = Load(log, callers: 6, each: 200)
    for _ in 0..<40 {
      log.pause {
        let size = log.head.size
        let settled = load.all.count
        #expect(size == base + UInt64(settled))
        Thread.sleep(nanoseconds: 200_000)
        #expect(log.head.size == size && load.all.count == settled)
      }
    }
    load.wait()
    #expect(log.head.size == base + 1200)
    try log.close()
    #expect(
      log.pause { log.head.size } == base + 1201, "a closed log has its stop record, and pauses too"
    )
  }

  @Test("when a write fails everybody is refused, once each, those in line and those who come")
  func failure() throws {
    let test = try TestLog()
    let log = try test.open()
    test.disk.fail(call: test.disk.changingCalls + 31, .torn, errno: 5)
    let load = Load(log, callers: 6, each: 100, takeTurns: true)
    load.wait()
    let durable = load.all.prefix { $0 != nil }
    #expect((1..<600).contains(durable.count) && load.all.count == 600)
    #expect(
      load.all.dropFirst(durable.count).allSatisfy { $0 == nil }, "it went on after the failure")
    #expect(throws: AuditError.unavailable) { _ = try log.commit(Batch(requests: 9)) }
    #expect(throws: AuditError.unavailable) { try log.close() }
    #expect(log.pause { true })
  }

  @Test("closing waits for those who came before it, and refuses who comes later") func closing()
    throws
  {
    let test = try TestLog()
    let log = try test.open()
    let load = Load(log, callers: 6, each: 50)
    while load.all.count < 60 {}
    try log.close()
    load.wait()
    let durable = load.all.compactMap { $0 }
    #expect(log.head.size == (durable.max() ?? 0) + 2, "the stop record comes last")
    #expect(try test.requests().count == durable.count)
    #expect(test.verify(anchor: log.head).verdict == .good)
  }
}
