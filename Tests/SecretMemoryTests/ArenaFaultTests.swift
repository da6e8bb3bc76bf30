import Glibc
import Host
import Testing

/// A pointer the arena did not hand out, or no longer, stops the process.
@Suite struct ArenaFaultTests {
  enum BadFree: String, CaseIterable, Codable, Sendable {
    case twice, twiceAfterMergingDown, twiceAfterMergingUp, inside, misaligned, before, behind,
      elsewhere, growFreed, growInside
  }

  @Test(arguments: BadFree.allCases) func aBadFreeTraps(_ fault: BadFree) async {
    await #expect(processExitsWith: trapped) { [fault] in
      try SecretArena.install(capacity: 1 << 16, allowMlockFallback: true)
      // The first two blocks of the arena are buddies: freeing both merges them.
      let low = try #require(Block(count: 64))
      let high = try #require(Block(count: 64))
      let large = try #require(Block(count: 1024))
      try #require(high == low + 64)
      switch fault {
      case .twice: free(low, low)
      case .twiceAfterMergingDown: free(low, high, high)
      case .twiceAfterMergingUp: free(high, low, low)
      case .inside: free(large + 64)
      case .misaligned: free(large + 1)
      case .before: free(low + -64)
      case .behind: free(low + (1 << 16))
      case .elsewhere: free(Block(at: address(of: [1, 2, 3].span)))
      case .growFreed:
        free(low)
        _ = low.grown(to: 4096)
      case .growInside: _ = (large + 64).grown(to: 4096)
      }
    }
  }

  @Test func theSameFreesInOrderAreFine() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 16, allowMlockFallback: true)
      let low = try #require(Block(count: 64))
      let high = try #require(Block(count: 64))
      free(low, high)
      #expect(SecretArena.usage.used == 0)
    }
  }

  @Test(arguments: [-1, -4096, 1 << 16, (1 << 16) + 4095])
  func beyondEitherEndIsAGuardPage(offset: Int) async {
    await #expect(processExitsWith: .signal(SIGSEGV)) { [offset] in
      try SecretArena.install(capacity: 1 << 16, allowMlockFallback: true)
      let whole = try #require(Block(count: 1 << 16))
      whole.write(1, at: offset)
    }
  }

  @Test func growingMovesTheBytesAndWipesTheOldBlock() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 16, allowMlockFallback: true)
      let small = try #require(Block(openSSLCount: 64))
      small.fill(7, count: 64)
      #expect(small.grown(to: 10) == small)
      let large = try #require(small.grown(to: 65))
      #expect(large != small)
      #expect(large.holds(7, in: 0..<64) && large.holds(0, in: 64..<128))
      #expect(small.holds(0, in: 0..<64))
    }
  }

  @Test func growingWithoutRoomKeepsTheBlock() async {
    await #expect(processExitsWith: .success) {
      try SecretArena.install(capacity: 1 << 16, allowMlockFallback: true)
      let block = try #require(Block(openSSLCount: 64))
      block.fill(7, count: 64)
      #expect(block.grown(to: 1 << 17) == nil)
      #expect(block.holds(7, in: 0..<64))
      #expect(block.grown(to: 0) == nil)
      #expect(SecretArena.usage.used == 0)
      #expect(Block(openSSLCount: 0) == nil)
    }
  }
}

private func free(_ blocks: Block...) {
  for block in blocks { block.free() }
}
