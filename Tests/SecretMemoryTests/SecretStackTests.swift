import CLinux
import Foundation
import Host
import Synchronization
import Testing

/// Stacks in secret memory; each test in a process of its own, since they are installed once.
@Suite struct SecretStackTests {
  @Test(
    "a thread's frames are in secret memory, which neither this process nor root reads through /proc"
  ) func whereFramesAre() async {
    await #expect(processExitsWith: .success) {
      try SecretStack.install(count: 2, allowMlockFallback: true)
      #expect(
        SecretStack.usage.count == 2
          && SecretStack.usage.capacity == 2 * (SecretStack.byteCount - Int(getpagesize())))
      for kind in [Thread.Stack.secret, .ordinary] {
        let seen = Handover<Bool?>()
        #expect(Thread.start(on: kind) { seen.give(isFrameReadable()) })
        #expect(seen.take() == (kind == .ordinary || SecretStack.usage.kind == .mlock))
      }
      let own = SecretStack.run { isFrameReadable() }
      #expect(own == (SecretStack.usage.kind == .mlock))
    }
  }

  @Test("without stacks of its own a process's threads have ordinary ones") func notInstalled()
    async
  {
    await #expect(processExitsWith: .success) {
      let seen = Handover<Bool?>()
      #expect(Thread.start { seen.give(isFrameReadable()) })
      #expect(seen.take() == true)
      #expect(SecretStack.run { isFrameReadable() } == true)
    }
  }

  @Test("a stack is used again, and what was on it is gone") func wiped() async {
    await #expect(processExitsWith: .success) {
      try SecretStack.install(count: 1, allowMlockFallback: true)
      let there = SecretStack.run { leaveTrace() }
      for _ in 0..<100 {
        let left = Handover<Int>()
        #expect(Thread.start { left.give(traces(at: there)) })
        #expect(left.take() == 0)
      }
      // What this looks at is the trace, as long as nobody has wiped it.
      #expect(SecretStack.run { traces(at: leaveTrace()) } > 0)
    }
  }

  @Test(
    "where no stack is free there is no thread, and there is one again once a stack was given back")
  func exhausted() async {
    await #expect(processExitsWith: .success) {
      try SecretStack.install(count: 2, allowMlockFallback: true)
      let end = Signal()
      let ended = Handover<Int>()
      #expect(Thread.start { end.wait() })
      #expect(
        Thread.start {
          end.wait()
          ended.give(1)
        })
      #expect(!Thread.start {})
      #expect(Thread.start(on: .ordinary) {})
      end.give()
      #expect(ended.take() == 1)
      #expect(Thread.start {})
      #expect(SecretStack.run { 7 } == 7)
    }
  }

  @Test("who has used up the stacks of one pool takes none of another's") func pools() async {
    await #expect(processExitsWith: .success) {
      try SecretStack.install(count: 1, operators: 1, services: 2, allowMlockFallback: true)
      #expect(SecretStack.usage.count == 4)
      let end = Signal()
      let begun = (0..<2).map { _ in Signal() }
      let held = begun.map { begun in
        let ended = Signal()
        #expect(
          Thread.start(on: .ordinary) {
            let ran = SecretStack.run(in: .services) {
              begun.give()
              end.wait()
            }
            if ran { ended.give() }
          })
        return ended
      }
      for begun in begun { begun.wait() }
      #expect(!SecretStack.run(in: .services) {})
      for _ in 0..<3 { #expect(SecretStack.run(in: .operators) {} && SecretStack.run { 7 } == 7) }
      end.give()
      for ended in held { ended.wait() }
      for _ in 0..<3 { #expect(SecretStack.run(in: .services) {}) }
    }
  }

  @Test("who needs more stack than there is ends the process, and reaches nobody else's")
  func guardPage() async {
    await #expect(processExitsWith: .failure) {
      try SecretStack.install(count: 3, allowMlockFallback: true)
      _ = SecretStack.run { deepen(0) }
    }
  }

  @Test("an error leaves a secret stack as any other") func throwing() async {
    await #expect(processExitsWith: .success) {
      try SecretStack.install(count: 1, allowMlockFallback: true)
      #expect(throws: SecretMemoryError.exhausted) {
        try SecretStack.run { () throws(SecretMemoryError) in throw SecretMemoryError.exhausted }
      }
      #expect(SecretStack.run { 7 } == 7)
    }
  }

  @Test("the limit on locked memory decides how many there are") func limited() async {
    await #expect(processExitsWith: .success) {
      let bytes = rlim_t(3 * SecretStack.byteCount + 4096)
      var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
      let isLimited =
        unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0
        && (geteuid() != 0 || seteuid(65534) == 0)
      try #require(isLimited)
      // Without the fallback, because the sanitizers replace mlock(2) by nothing; ENOSYS before
      // Linux 5.14.
      do throws(SecretMemoryError) {
        try SecretStack.install(count: 100, allowMlockFallback: false)
      } catch {
        #expect(error == .refused(errno: ENOSYS))
        return
      }
      #expect(SecretStack.usage.count == 3)
      #expect(throws: SecretMemoryError.refused(errno: EALREADY)) {
        try SecretStack.install(count: 1, allowMlockFallback: true)
      }
    }
  }

  @Test(arguments: [(0, 131_072), (-1, 131_072), (5000, 131_072), (1, 0), (1, 100)])
  func aNumberOrASizeThatCannotBeIsRefused(_ count: Int, _ bytes: Int) {
    #expect(throws: SecretMemoryError.refused(errno: EINVAL)) {
      try SecretStack.install(count: count, byteCount: bytes, allowMlockFallback: true)
    }
  }
}

/// Whether /proc/self/mem shows a local of the caller's; nil where it shows something else.
private func isFrameReadable() -> Bool? {
  let local = UInt64.random(in: 1...UInt64.max)
  return unsafe withUnsafePointer(to: local) { place in
    let file = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var seen: UInt64 = 0
    let count = unsafe pread(file, &seen, 8, off_t(UInt(bitPattern: place)))
    return count < 0 && errno == EIO ? false : count == 8 && seen == local ? true : nil
  }
}

private let trace: UInt8 = 0xa7

/// A larger one than this is on the heap (SE-0322).
private let allocation = 1024

/// Leaves a pattern in 17 frames, and returns where the deepest one's is: below whatever `traces`
/// has on the stack.
@inline(never) private func leaveTrace(_ depth: Int = 16) -> UInt {
  unsafe withUnsafeTemporaryAllocation(byteCount: allocation, alignment: 16) { local in
    for i in local.indices { unsafe local[i] = trace }
    // Who sees the address may read the bytes: keeps the stores.
    unsafe _ = kist_arena_contains(local.baseAddress)
    return depth == 0 ? UInt(bitPattern: local.baseAddress) : leaveTrace(depth - 1)
  }
}

/// How many bytes of the pattern are left there.
@inline(never) private func traces(at place: UInt) -> Int {
  guard let start = unsafe UnsafeRawPointer(bitPattern: place) else { return 0 }
  return unsafe UnsafeRawBufferPointer(start: start, count: allocation).count { $0 == trace }
}

@inline(never) private func deepen(_ depth: Int) -> Int {
  unsafe withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { local in
    unsafe local[0] = UInt8(truncatingIfNeeded: depth)
    unsafe _ = kist_arena_contains(local.baseAddress)
    return deepen(depth + 1) + Int(unsafe local[0])
  }
}
