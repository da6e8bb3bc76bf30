import Ceremony
import Crypto
import Host
import TestSupport
import Testing

@testable import KeyStore

/// What a backup of a store proves, and that proving it leaves no trace.
@Suite struct StoreCopyTests {
  let scene: Scene
  let record: KeyRecord

  init() throws {
    scene = try Scene()
    try scene.create()
    record = try scene.unlock().importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1))
  }

  private func rebuild(_ disk: SimulatedDisk, kek first: UInt8 = 0) throws -> StoreCopy.Rebuilt {
    let kek = try Scene.kek(first)
    return try StoreCopy(Scene.path, on: disk).rebuild(kek: kek)
  }

  /// A copy of the store, without its lock.
  private func copy(_ change: (SimulatedDisk) throws -> Void = { _ in }) throws -> SimulatedDisk {
    let disk = scene.disk.afterCrash(.keepsUnsynced)
    disk.unplant(Scene.path + "/lock")
    try change(disk)
    return disk
  }

  @Test func everyKeyIsRebuiltAndNothingIsWritten() throws {
    let disk = try copy()
    let before = disk.changingCalls
    let names = try disk.list(Scene.path)
    let rebuilt = try rebuild(disk)
    #expect(
      rebuilt.records.map(\.label.text) == ["audit/digest", "audit/signing", record.label.text])
    #expect(rebuilt.records.last == record)
    #expect(rebuilt.generation == 2)
    #expect(disk.changingCalls == before)
    #expect(try disk.list(Scene.path) == names)
  }

  /// What `unlock` would tidy up stays, too.
  @Test func aDestroyedKeyIsNotRebuiltAndItsBlockIsLeftAlone() throws {
    let block = try #require(scene.file(record.id.hex + ".kb"))
    for state in [KeyState.retired, .destroyed] { try scene.enter(state) }
    let disk = try copy { $0.plant(Scene.path + "/" + record.id.hex + ".kb", block) }
    #expect(try rebuild(disk).records.count == 2)
    #expect(disk.contents(Scene.path + "/" + record.id.hex + ".kb") == block)
  }

  @Test func aCopyWithItsLockWillDo() throws {
    #expect(try rebuild(scene.disk.afterCrash(.keepsUnsynced)).records.count == 3)
  }

  /// The live store proves nothing about a backup. On the real file system, whose lock it is.
  @Test func aStoreThatIsOpenIsNoCopy() throws {
    try withTemporaryDirectory { parent in
      let locked = try LockedKeyStore.create(
        "keys", in: parent, kek: Scene.kek(), kind: .production, at: Scene.now)
      #expect(throws: KeyStoreError.inUse) { try StoreCopy(parent + "/keys") }
      withExtendedLifetime(locked) {}
    }
  }

  @Test func whatIsNotWholeIsRefused() throws {
    let id = record.id
    #expect(throws: KeyStoreError.cutOff) {
      try StoreCopy(Scene.path, on: try copy { $0.unplant(Scene.path + "/manifest.json") })
    }
    #expect(throws: KeyStoreError.wrongKEK) { try rebuild(copy(), kek: 1) }
    #expect(throws: KeyStoreError.key(id, .blockMissing)) {
      try rebuild(copy { $0.unplant(Scene.path + "/" + id.hex + ".kb") })
    }
    #expect(throws: KeyStoreError.key(id, .certificate)) {
      try rebuild(copy { $0.unplant(Scene.path + "/" + Scene.certificateName(record)) })
    }
    let block = try #require(scene.file(id.hex + ".kb"))
    #expect(throws: KeyStoreError.key(id, .blockDigest)) {
      try rebuild(copy { $0.plant(Scene.path + "/" + id.hex + ".kb", block.reversed()) })
    }
    #expect(throws: KeyStoreError.custodians) {
      try StoreCopy(Scene.path, on: try copy { $0.plant(Scene.path + "/custodians.json", [0x7B]) })
    }
  }
}
