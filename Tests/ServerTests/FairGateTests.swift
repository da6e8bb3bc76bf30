import Host
@testable import Server
import Synchronization
import TestSupport
import Testing

/// Whose turn it is, with threads that wait for each other and for no clock.
@Suite struct FairGateTests {
  /// A clock that stands.
  private final class Clock: Sendable {
    private let now = Atomic<Int64>(0)

    func read() -> Int64 { now.load(ordering: .relaxed) }
    func advance(_ nanoseconds: Int64) { now.add(nanoseconds, ordering: .relaxed) }
  }

  /// A gate with one shared place, which user 9 holds, and threads that pass it when their turn
  /// comes.
  private final class Passing: Sendable {
    let gate = FairGate(shared: 1, clock: Clock().read)
    private let passed = Locked<[UInt32]>([])

    init() { for _ in 0..<2 { gate.enter(9) } }

    /// Takes the user's own place.
    func occupy(_ uid: UInt32) { gate.enter(uid) }

    /// Starts a thread that passes, and returns when it waits.
    func queue(_ uid: UInt32) {
      let before = gate.waitingCount
      let started = Thread.start { [self] in
        gate.enter(uid)
        passed.withLock { $0.append(uid) }
        gate.leave(uid)
      }
      #expect(started)
      while gate.waitingCount == before {}
    }

    /// Gives the shared place away, and the order in which all had passed.
    func order(of count: Int) -> [UInt32] {
      gate.leave(9)
      while passed.withLock({ $0.count }) < count {}
      return passed.withLock { $0 }
    }
  }

  @Test("nobody waits for a first place, however busy the others are") func own() {
    let gate = FairGate(shared: 0)
    for uid in 1...100 as ClosedRange<UInt32> { gate.enter(uid) }
    #expect(gate.waitingCount == 0)
    gate.leave(7)
    gate.enter(7)
    #expect(gate.waitingCount == 0)
  }

  @Test("users take turns however many connections each has waiting") func turns() {
    let passing = Passing()
    for uid in 1...3 as ClosedRange<UInt32> { passing.occupy(uid) }
    for uid in [1, 1, 1, 1, 2, 1, 3, 2] as [UInt32] { passing.queue(uid) }
    #expect(passing.gate.isWanted(besides: 1) && passing.gate.isWanted(besides: 9))
    #expect(passing.order(of: 8) == [1, 2, 3, 1, 2, 1, 1, 1])
    #expect(passing.gate.waitingCount == 0)
  }

  @Test(
    "one who comes last waits for one turn of the others, not for all they have queued",
    arguments: [1, 10, 50]) func newcomer(_ queued: Int)
  {
    let passing = Passing()
    for uid in 1...2 as ClosedRange<UInt32> { passing.occupy(uid) }
    for _ in 0..<queued { passing.queue(1) }
    passing.queue(2)
    #expect(passing.order(of: queued + 1).firstIndex(of: 2) == 1)
  }

  @Test("a user's own place goes to the user's next connection, and is free again after the last")
  func handedOn() {
    let passing = Passing()
    passing.occupy(1)
    passing.queue(1)
    #expect(!passing.gate.isWanted(besides: 1) && passing.gate.isWanted(besides: 2))
    passing.gate.leave(1)
    while passing.gate.waitingCount > 0 {}
    #expect(passing.order(of: 1) == [1])
    passing.gate.enter(1)
    #expect(passing.gate.waitingCount == 0)
  }

  @Test(
    "a user waits for more than its own place while another one comes, and no longer when that one stays away"
  ) func kept() {
    let time = Clock()
    let gate = FairGate(shared: 0, clock: time.read)
    gate.enter(1)
    gate.leave(1)
    gate.enter(2)
    #expect(gate.hasCompany(2, at: time.read()) && gate.hasCompany(3, at: time.read()))
    let passed = Atomic(0)
    let pass = { @Sendable in
      gate.enter(2)
      passed.add(1, ordering: .relaxed)
    }
    #expect(Thread.start(pass) && Thread.start(pass))
    while gate.waitingCount < 2 {}
    gate.enter(1)
    #expect(gate.waitingCount == 2, "the seldom one waits for nobody")
    gate.leave(1)
    #expect(passed.load(ordering: .relaxed) == 0)
    time.advance(300_000_000)
    #expect(!gate.hasCompany(2, at: time.read()))
    // Whoever is alone has as many places as it wants.
    gate.leave(2)
    while passed.load(ordering: .relaxed) < 2 {}
    #expect(gate.waitingCount == 0)
  }

  @Test("a user alone waits for nobody, and who comes then has its own place and no other")
  func alone() {
    let gate = FairGate(shared: 1, clock: Clock().read)
    for _ in 0..<100 { gate.enter(1) }
    #expect(gate.waitingCount == 0 && !gate.hasCompany(1, at: 0))
    gate.enter(2)
    #expect(gate.waitingCount == 0 && gate.hasCompany(1, at: 0))
    let passed = Atomic(0)
    let started = Thread.start {
      gate.enter(2)
      passed.add(1, ordering: .relaxed)
    }
    #expect(started)
    while gate.waitingCount < 1 {}
    for _ in 0..<98 { gate.leave(1) }
    #expect(
      passed.load(ordering: .relaxed) == 0,
      "the first user still has the shared place beside its own")
    gate.leave(1)
    while passed.load(ordering: .relaxed) < 1 {}
    #expect(gate.waitingCount == 0)
  }
}
