import Host
import Synchronization
import TestSupport
import Testing

/// Work that is done on call, and values that go from one thread to another.
@Suite struct CalledThreadTests {
  @Test("one piece of work is done at a time, and of those that have not begun the last")
  func calls() {
    let thread = CalledThread()
    let begun = Handover<Void>()
    let release = Handover<Void>()
    #expect(
      thread.call {
        begun.give(())
        release.take()
      })
    begun.take()
    let done = Locked<[Int]>([])
    let ended = Handover<Void>()
    for number in 1...5 {
      #expect(
        thread.call {
          done.withLock { $0.append(number) }
          if number == 5 { ended.give(()) }
        })
    }
    #expect(done.withLock { $0.isEmpty })
    release.give(())
    ended.take()
    #expect(done.withLock { $0 } == [5])
  }

  @Test("it ends when nobody calls, and the next call has another") func ends() {
    let started = Atomic(0)
    let thread = CalledThread(patience: 1_000_000) { body in
      started.add(1, ordering: .relaxed)
      return Thread.start(body)
    }
    for expected in 1...3 {
      while started.load(ordering: .relaxed) < expected {
        let done = Handover<Void>()
        #expect(thread.call { done.give(()) })
        done.take()
        Thread.sleep(nanoseconds: 5_000_000)
      }
    }
  }

  @Test("once dismissed it ends without waiting for another call", .timeLimit(.minutes(1)))
  func dismissed() {
    let done = Handover<Void>()
    let ended = Signal()
    let thread = CalledThread(patience: 3_600_000_000_000) { body in
      Thread.start {
        body()
        ended.give()
      }
    }
    #expect(thread.call { done.give(()) })
    done.take()
    thread.dismiss()
    ended.wait()
  }

  @Test("without a thread the caller is told, and no work is left for later") func refused() {
    let may = Atomic(false)
    let done = Atomic(0)
    let thread = CalledThread { body in may.load(ordering: .relaxed) && Thread.start(body) }
    let work = { @Sendable in _ = done.add(1, ordering: .relaxed) }
    #expect(!thread.call(work) && !thread.call(work))
    may.store(true, ordering: .relaxed)
    #expect(thread.call(work))
    while done.load(ordering: .relaxed) == 0 {}
    Thread.sleep(nanoseconds: 2_000_000)
    #expect(done.load(ordering: .relaxed) == 1)
  }

  @Test("what is handed over waits for its taker, as its taker for it") func handover() {
    #expect(Handover(7).take() == 7)
    let there = Handover<Int>()
    let back = Handover<Int>()
    #expect(Thread.start { back.give(there.take() + 1) })
    there.give(1)
    #expect(back.take() == 2)
  }
}
