import Dispatch
import Host
import Testing

@Suite struct LockTests {
  @Test func oneThreadAtATimeIsInside() {
    let counter = Counter()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 { counter.increment() }
    }
    #expect(counter.value == 80_000)
  }

  @Test func anErrorLeavesItUnlocked() {
    let lock = Lock()
    #expect(throws: SecretMemoryError.exhausted) {
      try lock.withLock { () throws(SecretMemoryError) in throw SecretMemoryError.exhausted }
    }
    #expect(lock.withLock { 1 } == 1)
  }

  @Test func aWaitEndsAtItsDeadlineAndNotBefore() {
    let monitor = Monitor()
    let deadline = Monitor.now + 2_000_000
    // A condition may wake for no reason.
    monitor.withLock { while monitor.wait(until: deadline) {} }
    #expect(Monitor.now >= deadline)
  }

  @Test func aWaitEndsWhenItIsWoken() {
    let monitor = Monitor()
    let woken = Counter()
    let ended = Signal()
    let waits = Thread.start {
      monitor.withLock { while woken.value == 0 { #expect(monitor.wait(until: .max)) } }
      ended.give()
    }
    #expect(waits)
    monitor.withLock {
      woken.increment()
      monitor.wakeAll()
    }
    ended.wait()
  }
}
