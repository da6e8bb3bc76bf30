import Crypto
import Format
import Host
import TestSupport
import Testing
@testable import KeyStore

/// [KS-COUNTER] and, for the limit, [OP-SEAL-3].
@Suite struct CounterTests {
  let scene: Scene
  let id: KeyID

  init() throws {
    scene = try Scene()
    try scene.create()
    let label = try #require(KeyLabel("app/sealing"))
    id = try scene.unlock().importKey(
      KeyImport(label: label, role: .sealing, material: .symmetric(Random.secret(count: 32))),
      at: Scene.now, anchor: Scene.anchor(1)
    ).id
  }

  private func file() -> [UInt8]? { scene.file(StoreFile.counter(id).name(under: 0)) }

  /// Puts a genuine counter file in place.
  private func write(reserved: UInt64, of other: KeyID? = nil) throws {
    let kek = try Scene.kek()
    let keys = try StoreKeys(kek: kek.bytes)
    let bytes = try CounterFile(reserved: reserved).serialised(for: other ?? id, keys)
    try StoreDirectory(Scene.path, on: scene.disk).write(.counter(id), bytes)
  }

  @Test func countsFromZeroABlockAhead() throws {
    let store = try scene.unlock()
    #expect(file() == nil)
    for expected in 0..<10 { #expect(try store.countInvocation(of: id) == UInt64(expected)) }
    let bytes = try #require(file())
    #expect(bytes.count == 64 && UInt64(bigEndian: bytes.span, at: 24) == 4096)
    let writes = scene.disk.changingCalls
    for _ in 10..<4096 { try store.countInvocation(of: id) }
    #expect(scene.disk.changingCalls == writes)
    #expect(try store.countInvocation(of: id) == 4096)
    #expect(scene.disk.changingCalls > writes)
    #expect(store.strays == [])
  }

  @Test func aRestartSkipsAndRepeatsNone() throws {
    do { for _ in 0..<3 { try scene.unlock().countInvocation(of: id) } }
    #expect(try scene.unlock().countInvocation(of: id) == 3 * 4096)
    #expect(try scene.reopened().countInvocation(of: id) == 4 * 4096)
    #expect(try scene.unlock().strays == [])
  }

  /// Whatever call fails, in whatever way, no number is given twice, by this process or the next.
  @Test func crashesSkipAndRepeatNone() throws {
    let (_, calls) = try FaultMatrix(from: scene.disk).run { disk in
      var given: [UInt64] = []
      // Two processes one after the other, the second of which needs another block.
      for _ in 0..<2 {
        guard let store = try? Scene(disk).unlock() else { continue }
        for _ in 0..<3 {
          if let number = try? store.countInvocation(of: id) { given.append(number) }
        }
      }
      return given
    } _: { disk, given, point in
      #expect(Set(given).count == given.count, "\(point)")
      let number = try Scene(disk).unlock().countInvocation(of: id)
      #expect(given.allSatisfy { $0 < number }, "\(point)")
    }
    #expect(calls >= 8)
  }

  @Test("[OP-SEAL-3] after 2^32 invocations there are no more, for ever") func limit() throws {
    let limit = KeyStore.sealingLimit
    #expect(limit == 4_294_967_296)
    try write(reserved: limit - 2)
    do {
      let store = try scene.unlock()
      #expect(try store.countInvocation(of: id) == limit - 2)
      #expect(try store.countInvocation(of: id) == limit - 1)
      for _ in 0..<3 {
        #expect(
          refusal { () throws(KeyStoreError) in try store.countInvocation(of: id) }
            == .invocationsUsedUp)
      }
    }
    let again = try scene.unlock()
    #expect(
      refusal { () throws(KeyStoreError) in try again.countInvocation(of: id) }
        == .invocationsUsedUp)
  }

  @Test func aFileThatIsNotThisKeysIsRefused() throws {
    try write(reserved: 100)
    let good = try #require(file())
    for place in [0, 7, 8, 23, 24, 31, 32, 63] {
      var changed = good
      changed[place] ^= 1
      try StoreDirectory(Scene.path, on: scene.disk).write(.counter(id), changed)
      let store = try scene.unlock()
      #expect(
        refusal { () throws(KeyStoreError) in try store.countInvocation(of: id) } == .counter(id))
    }
    try StoreDirectory(Scene.path, on: scene.disk).write(.counter(id), Array(good.dropLast()))
    #expect(try refusedOnce() == .counter(id))
    try write(reserved: 100, of: KeyID(high: 1, low: 1))
    #expect(try refusedOnce() == .counter(id))
    try write(reserved: 100)
    #expect(try scene.unlock().countInvocation(of: id) == 100)
  }

  @Test func aLostFileCountsFromTheUsesOnRecord() throws {
    do {
      let store = try scene.unlock()
      store.restore(uses: 5000, lastUse: Scene.later, for: id)
      try store.checkpointCounters(anchor: Scene.anchor(5001))
    }
    #expect(try scene.unlock().countInvocation(of: id) == 5000)
  }

  @Test func aDestroyedKeysCounterGoesWithIt() throws {
    let store = try scene.unlock()
    try store.countInvocation(of: id)
    try store.setState(.retired, of: id, at: Scene.later, anchor: Scene.anchor(2))
    try store.setState(.destroyed, of: id, at: Scene.later, anchor: Scene.anchor(3))
    #expect(file() == nil)
  }

  private func refusedOnce() throws -> KeyStoreError? {
    let store = try scene.unlock()
    return refusal { () throws(KeyStoreError) in try store.countInvocation(of: id) }
  }
}
