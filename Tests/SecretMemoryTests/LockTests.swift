import Dispatch
import SecretMemory
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
}
