import Host
import TestSupport
import Testing

@Suite struct SecretBufferTests {
  init() throws { try #require(TestArena.ready) }

  @Test(arguments: [0, 1, 31, 32, 64, 65, 4096, 100_000])
  func startsAsZeroesOfTheSizeAskedFor(count: Int) throws {
    let secret = try SecretBuffer(count: count)
    let bytes = secret.bytes
    let isZero = bytes.indices.allSatisfy { bytes[$0] == 0 }
    #expect(bytes.count == count && secret.count == count)
    #expect(isZero)
  }

  @Test func holdsWhatIsWrittenToIt() throws {
    var secret = try SecretBuffer(count: 4)
    var bytes = secret.mutableBytes
    bytes[3] = 9
    bytes.copy([1, 2].span, at: 1)
    #expect(array(secret.bytes) == [0, 1, 2, 9])
  }

  @Test(arguments: [[], [7], Array(0...255)] as [[UInt8]])
  func copiesItsSource(source: [UInt8]) throws {
    let secret = try SecretBuffer(copying: source.span)
    #expect(array(secret.bytes) == source)
  }

  @Test func wipedItKeepsItsSizeAlone() throws {
    var secret = try SecretBuffer(copying: [1, 2, 3].span)
    secret.wipe()
    #expect(array(secret.bytes) == [0, 0, 0])
  }

  @Test func aSizeNoArenaHasIsExhaustion() {
    for count in [(64 << 20) + 1, 1 << 40, .max] {
      #expect(throws: SecretMemoryError.exhausted) { _ = try SecretBuffer(count: count) }
    }
  }

  @Test func withoutAnArenaThereIsNoSecret() async {
    await #expect(processExitsWith: .success) {
      #expect(throws: SecretMemoryError.exhausted) { _ = try SecretBuffer(count: 1) }
      #expect(SecretArena.usage.kind == nil)
    }
  }

  @Test func readingPastTheEndTraps() async {
    await #expect(processExitsWith: trapped) {
      try #require(TestArena.ready)
      let secret = try SecretBuffer(count: 32)
      let index = secret.count
      _ = secret.bytes[index]
    }
  }

  @Test func copyingPastTheEndTraps() async {
    await #expect(processExitsWith: trapped) {
      try #require(TestArena.ready)
      var secret = try SecretBuffer(count: 2)
      var bytes = secret.mutableBytes
      bytes.copy([1, 2].span, at: 1)
    }
  }

  @Test func aNegativeSizeTraps() async {
    await #expect(processExitsWith: trapped) {
      try #require(TestArena.ready)
      _ = try SecretBuffer(count: -1)
    }
  }
}

private func array(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }
