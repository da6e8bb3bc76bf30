import CryptoBackend
import Encoding
import SecretMemory
import TestSupport
import Testing
import Wire

@testable import KeyStore

/// [KS-WRITE-ORDER] Every change of a store, cut off at every call to the disk in every way: what is found afterwards is the old store or the new one.
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
      (generation, records) = (store.generation, store.records)
      blocks = records.map { scene.file($0.id.hex + ".kb") != nil }
    }
  }

  private func points(_ calls: Range<Int>) -> [(Int, SimulatedDisk.Fault, SimulatedDisk.Crash)] {
    calls.flatMap { call in
      SimulatedDisk.Fault.allCases.flatMap { fault in SimulatedDisk.Crash.allCases.map { (call, fault, $0) } }
    }
  }

  @Test(arguments: changes) func aCrashLeavesTheOldStoreOrTheNewOne(_ change: Change) throws {
    let start = try Scene()
    try change.prepare(start)
    let old = try State(start)
    let whole = try Scene(start.disk.afterCrash(.keepsUnsynced))
    try change.perform(whole)
    let (new, calls) = (try State(whole), whole.disk.changingCalls)
    #expect(new.generation == old.generation + 1)
    var (wasOld, wasNew) = (0, 0)
    for (call, fault, crash) in points(0..<calls) {
      let scene = try Scene(start.disk.afterCrash(.keepsUnsynced))
      scene.disk.fail(call: call, fault, errno: 5)
      try? change.perform(scene)
      let found = try State(Scene(scene.disk.afterCrash(crash)))
      wasOld += found == old ? 1 : 0
      wasNew += found.isSame(as: new) ? 1 : 0
      #expect(found == old || found.isSame(as: new), "call \(call), \(fault), \(crash)")
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
        "keys", in: "/state", kek: Scene.kek(), passphrase: passphrase.span, cost: cost, kind: .production, at: Scene.now, on: disk)
    }
    let whole = SimulatedDisk()
    try make(whole)
    for (call, fault, crash) in points(0..<whole.changingCalls) {
      let disk = SimulatedDisk()
      disk.fail(call: call, fault, errno: 5)
      try? make(disk)
      let scene = try Scene(disk.afterCrash(crash))
      if scene.file("manifest.json") == nil { try make(scene.disk) }
      #expect(try scene.unlock().records.count == 2, "call \(call), \(fault), \(crash)")
    }
  }
}

extension CrashTests.State {
  /// The new store, whatever this run's random padding and ids were; the records' blocks are checked by unlocking.
  fileprivate func isSame(as new: Self) -> Bool {
    generation == new.generation && blocks == new.blocks
      && records.map { [$0.label.text, $0.state.rawValue, "\($0.uses)"] } == new.records.map { [$0.label.text, $0.state.rawValue, "\($0.uses)"] }
  }
}
