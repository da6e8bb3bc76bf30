import Dispatch
import Glibc
import Host
import TestSupport
import Testing

/// Everything that counts bytes runs in a process with an arena of its own.
@Suite struct SecretArenaTests {
  @Test(arguments: [0, 1, 64, 4095, 4097, 12288, (1 << 20) + 4096, 1 << 33, 1 << 62])
  func aCapacityThatCannotBeIsRefused(capacity: Int) {
    #expect(throws: SecretMemoryError.refused(errno: EINVAL)) {
      try SecretArena.install(capacity: capacity, allowMlockFallback: true)
    }
  }

  @Test func itIsInstalledOnce() throws {
    try #require(TestArena.ready)
    #expect(throws: SecretMemoryError.refused(errno: EALREADY)) {
      try SecretArena.install(capacity: 1 << 20, allowMlockFallback: true)
    }
  }

  @Test func beyondTheLockLimitTheKernelsRefusalIsPassedOn() async {
    await #expect(processExitsWith: .success) {
      var nothing = rlimit(rlim_cur: 0, rlim_max: 0)
      let isLimited =
        unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &nothing) == 0
        && (geteuid() != 0 || seteuid(65534) == 0)
      try #require(isLimited)
      // Without the fallback, because the sanitizers replace mlock(2) by nothing; ENOSYS before
      // Linux 5.14.
      let refusal = #expect(throws: SecretMemoryError.self) {
        try SecretArena.install(capacity: 1 << 20, allowMlockFallback: false)
      }
      #expect(refusal == .refused(errno: EAGAIN) || refusal == .refused(errno: ENOSYS))
      #expect(SecretArena.usage.kind == nil && SecretArena.usage.capacity == 0)
    }
  }

  @Test func exhaustionIsThrownAndEndsWithTheNextFree() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 16, allowMlockFallback: true)
      for _ in 0..<3 {
        let half = try SecretBuffer(count: 1 << 15)
        let rest = try SecretBuffer(count: (1 << 14) + 1)
        #expect(throws: SecretMemoryError.exhausted) { _ = try SecretBuffer(count: 1) }
        #expect(SecretArena.usage.used == 1 << 16)
        #expect(half.count + rest.count == (1 << 15) + (1 << 14) + 1)
      }
      let usage = SecretArena.usage
      #expect(usage.used == 0 && usage.peak == 1 << 16 && usage.capacity == 1 << 16)
    }
  }

  @Test func freedBlocksBecomeTheWholeAgain() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 16, allowMlockFallback: true)
      // The strides have no divisor in common with 1024: every block is freed once, in another
      // order each time.
      for stride in [1, 7, 1023] {
        var blocks: [Block] = []
        while let block = Block(count: 64) { blocks.append(block) }
        #expect(blocks.count == 1024 && Set(blocks).count == 1024)
        for i in 0..<1024 { blocks[i * stride % 1024].free() }
        #expect(SecretArena.usage.used == 0)
        _ = try SecretBuffer(count: 1 << 16)
      }
    }
  }

  @Test func aFreedSecretIsZeroed() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 16, allowMlockFallback: true)
      for count in [1, 32, 64, 100, 4096, 1 << 16] {
        let left = try freedSecret(count: count)
        #expect(left.holds(0, in: 0..<count), "\(count) bytes")
      }
    }
  }

  @Test func randomUseNeverHandsOutAByteTwice() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 18, allowMlockFallback: true)
      var walk = BlockWalk(seed: 1)
      let isSound = walk.run(steps: 20_000)
      #expect(isSound)
      #expect(SecretArena.usage.used == 0)
      _ = try SecretBuffer(count: 1 << 18)
    }
  }

  @Test func manyThreadsShareOneArena() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 20, allowMlockFallback: true)
      let unsound = Counter()
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        var walk = BlockWalk(seed: UInt64(thread) + 2)
        if !walk.run(steps: 5000) { unsound.increment() }
      }
      #expect(unsound.value == 0)
      #expect(SecretArena.usage.used == 0)
      _ = try SecretBuffer(count: 1 << 20)
    }
  }
}

private func freedSecret(count: Int) throws -> Block {
  var secret = try SecretBuffer(count: count)
  var bytes = secret.mutableBytes
  for i in bytes.indices { bytes[i] = 0xaa }
  let block = Block(at: address(of: secret.bytes))
  try #require(block.holds(0xaa, in: 0..<count))
  return block
}
