import Ceremony
import Crypto
import Format
import Host
import TestSupport
import Testing

@testable import KeyStore

/// [KS-WRITE-ORDER] Every change of a store, cut off at every call to the disk in every way: what
/// is found afterwards is the old store or the new one.
@Suite struct CrashTests {
  init() throws { try #require(TestArena.ready) }

  /// The disk before a change, and the change.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let prepare: @Sendable (Scene) throws -> Void
    let perform: @Sendable (Scene) throws -> Void
  }

  static let changes: [Change] = [
    Change(testDescription: "import") {
      try $0.create()
    } perform: {
      _ = try $0.unlock().importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1))
    },
    Change(testDescription: "activate") {
      try $0.create()
      _ = try $0.unlock().importKey(.ec(activates: false), at: Scene.now, anchor: Scene.anchor(1))
    } perform: {
      try $0.enter(.active)
    },
    Change(testDescription: "destroy") {
      try $0.create()
      _ = try $0.unlock().importKey(.ec(activates: false), at: Scene.now, anchor: Scene.anchor(1))
    } perform: {
      try $0.enter(.destroyed)
    },
    Change(testDescription: "forget") {
      try $0.create()
      let store = try $0.unlock()
      store.keepDestroyed(seconds: 0)
      for key in ["app/one", "app/two"] {
        let id = try store.importKey(.mac(key), at: Scene.now, anchor: Scene.anchor(1)).id
        try store.destroy(id, at: Scene.now, anchor: Scene.anchor(2))
      }
    } perform: {
      let store = try $0.unlock()
      store.keepDestroyed(seconds: 0)
      _ = try store.importKey(.mac("app/three"), at: Scene.later, anchor: Scene.anchor(3))
    },
    Change(testDescription: "checkpoint") {
      try $0.create()
    } perform: {
      try $0.unlock().checkpointCounters(anchor: Scene.anchor(8))
    },
  ]

  fileprivate struct State: Equatable {
    let generation: Int64
    let records: [KeyRecord]
    let blocks: [Bool]

    init(_ scene: Scene) throws {
      let store = try scene.unlock()
      generation = store.generation
      records = store.records
      blocks = records.map { scene.file($0.id.hex + ".kb") != nil }
    }
  }

  @Test(arguments: changes) func aCrashLeavesTheOldStoreOrTheNewOne(_ change: Change) throws {
    let start = try Scene()
    try change.prepare(start)
    let old = try State(start)
    let whole = try Scene(start.disk.afterCrash(.keepsUnsynced))
    try change.perform(whole)
    let new = try State(whole)
    #expect(new.generation == old.generation + 1)
    var wasOld = 0
    var wasNew = 0
    let (_, calls) = try FaultMatrix(from: start.disk).run { disk in
      (try? change.perform(Scene(disk))) != nil
    } _: { disk, acknowledged, point in
      let found = try State(Scene(disk))
      let isNew = found.isSame(as: new)
      wasOld += found == old ? 1 : 0
      wasNew += isNew ? 1 : 0
      #expect(isNew || found == old && !acknowledged, "\(point)")
    }
    #expect(wasOld > 0)
    #expect(wasNew > 0)
    #expect(calls >= 5)
  }

  /// A store that is being made is there as a whole or not at all, and can then be made again.
  @Test func aCrashWhileMakingAStore() throws {
    func make(_ disk: SimulatedDisk) throws {
      let cost = try #require(PassphraseCost(passes: 1, memory: 8 << 10))
      let passphrase: [UInt8] = [1, 2, 3]
      _ = try LockedKeyStore.create(
        "keys", in: "/state", kek: Scene.kek(), passphrase: passphrase.span, cost: cost,
        kind: .production, at: Scene.now, on: disk)
    }
    try FaultMatrix(from: SimulatedDisk()).run { disk in
      (try? make(disk)) != nil
    } _: { disk, acknowledged, point in
      let scene = try Scene(disk)
      if scene.file("manifest.json") == nil {
        #expect(!acknowledged, "\(point)")
        try make(disk)
      }
      #expect(try scene.unlock().records.count == 2, "\(point)")
    }
  }
}

extension CrashTests.State {
  /// The new store, whatever this run's random padding and ids were; the records' blocks are
  /// checked by unlocking.
  fileprivate func isSame(as new: Self) -> Bool {
    generation == new.generation && blocks == new.blocks
      && records.map { [$0.label.text, $0.state.rawValue, "\($0.uses)"] }
        == new.records.map { [$0.label.text, $0.state.rawValue, "\($0.uses)"] }
  }
}
