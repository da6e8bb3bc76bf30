import Host
import Synchronization
import TestSupport
import Testing

/// Actions that are to run some time later.
@Suite struct TimerThreadTests {
  @Test(
    "an action that no thread can be started for runs all the same, and so do those after it",
    .timeLimit(.minutes(1))) func lack()
  {
    let starts = Atomic(0)
    // The first is the timer's own thread.
    let timer = TimerThread { body in
      starts.add(1, ordering: .relaxed).oldValue != 1 && Thread.start(body)
    }
    #expect(timer.begin())
    for expected in 2...4 {
      let done = Signal()
      timer.after(1_000_000) { done.give() }
      done.wait()
      #expect(starts.load(ordering: .relaxed) == expected)
    }
  }

  @Test(
    "actions run in the order of their times, also those from before the beginning",
    .timeLimit(.minutes(1))) func order()
  {
    let isOwn = Atomic(true)
    // Without further threads it runs them itself, one after the other.
    let timer = TimerThread { body in
      isOwn.exchange(false, ordering: .relaxed) && Thread.start(body)
    }
    let ran = Locked<[Int]>([])
    let isOver = Signal()
    for (number, nanoseconds) in [(3, 20_000_000), (1, -1), (4, 30_000_000), (2, 10_000_000)]
      as [(Int, Int64)]
    {
      timer.after(nanoseconds) {
        ran.withLock { $0.append(number) }
        if number == 4 { isOver.give() }
      }
    }
    #expect(ran.withLock { $0.isEmpty })
    #expect(timer.begin())
    isOver.wait()
    #expect(ran.withLock { $0 } == [1, 2, 3, 4])
  }

  @Test(
    "one that comes later is not kept by one that is far off or has to wait",
    .timeLimit(.minutes(1))) func independence()
  {
    let timer = TimerThread()
    #expect(timer.begin())
    let first = Signal()
    let second = Signal()
    timer.after(3_600_000_000_000) { Issue.record("an hour is not over") }
    timer.after(0) {
      second.wait()
      first.give()
    }
    timer.after(0) { second.give() }
    first.wait()
  }

  @Test("without a thread it does not begin, and says so") func refused() {
    let timer = TimerThread { _ in false }
    timer.after(0) { Issue.record("there is no thread to run it") }
    #expect(!timer.begin())
  }
}
