import Server
import Synchronization
import Testing

/// Whose turn it is, with threads that wait for each other and for no clock.
@Suite struct FairGateTests {
  /// Threads that pass the gate one at a time, in the order of their turns.
  private final class Passing: Sendable {
    let gate: FairGate
    private let passed = Mutex<[UInt32]>([])

    init(places: Int) { gate = FairGate(places: places) }

    /// Starts a thread that passes, and returns when it waits.
    func queue(_ uid: UInt32) {
      let before = gate.waitingCount
      let started = Thread.start { [self] in
        gate.enter(uid)
        passed.withLock { $0.append(uid) }
        gate.leave()
      }
      #expect(started)
      while gate.waitingCount == before {}
    }

    /// Gives the first turn away, and the order in which all had passed.
    func order(of count: Int) -> [UInt32] {
      gate.leave()
      while passed.withLock({ $0.count }) < count {}
      return passed.withLock { $0 }
    }
  }

  @Test("with a place free nobody waits") func free() {
    let gate = FairGate(places: 2)
    gate.enter(1)
    gate.enter(1)
    #expect(gate.waitingCount == 0 && !gate.isWanted(besides: 2))
    gate.leave()
    gate.enter(2)
    #expect(gate.waitingCount == 0)
  }

  @Test("users take turns however many connections each has waiting") func turns() {
    let passing = Passing(places: 1)
    passing.gate.enter(9)
    for uid in [1, 1, 1, 1, 2, 1, 3, 2] as [UInt32] { passing.queue(uid) }
    #expect(passing.gate.isWanted(besides: 1) && passing.gate.isWanted(besides: 9))
    #expect(passing.order(of: 8) == [1, 2, 3, 1, 2, 1, 1, 1])
    #expect(passing.gate.waitingCount == 0)
  }

  @Test("one who comes last waits for one turn of the others, not for all they have queued", arguments: [1, 10, 50]) func newcomer(_ queued: Int) {
    let passing = Passing(places: 1)
    passing.gate.enter(1)
    for _ in 0..<queued { passing.queue(1) }
    passing.queue(2)
    #expect(passing.order(of: queued + 1).firstIndex(of: 2) == 1)
  }

  @Test("a user's own connections are no reason to hurry") func alone() {
    let passing = Passing(places: 1)
    passing.gate.enter(1)
    passing.queue(1)
    #expect(!passing.gate.isWanted(besides: 1) && passing.gate.isWanted(besides: 2))
    #expect(passing.order(of: 1) == [1])
  }
}
