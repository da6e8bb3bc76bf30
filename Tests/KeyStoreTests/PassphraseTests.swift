import Ceremony
import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import KeyStore

@Suite struct PassphraseTests {
  let scene: Scene
  static let passphrase = Array("correct horse battery staple".utf8)

  init() throws {
    scene = try Scene()
    let cost = try #require(PassphraseCost(passes: 1, memory: 64 << 10))
    _ = try LockedKeyStore.create(
      "keys", in: "/state", kek: Scene.kek(), passphrase: Self.passphrase.span, cost: cost,
      kind: .production, at: Scene.now, on: scene.disk)
  }

  private func unlock(_ passphrase: [UInt8] = passphrase, _ disk: SimulatedDisk? = nil) throws
    -> KeyStoreError?
  {
    let disk = disk ?? scene.disk
    return refusal { () throws(KeyStoreError) in
      try LockedKeyStore.open(Scene.path, on: disk).unlock(
        passphrase: passphrase.span, expecting: .production)
    }
  }

  @Test func thePassphraseAndTheKEKBothUnlock() throws {
    #expect(try unlock() == nil)
    #expect(try scene.unlock().records.count == 2)
    #expect(try LockedKeyStore.open(Scene.path, on: scene.disk).acceptsPassphrase)
  }

  /// [KS-UNLOCK-PASSPHRASE]
  @Test(arguments: [
    "", "correct horse battery stapl", "correct horse battery staple ",
    "Correct horse battery staple",
  ])
  func anotherPassphraseIsRefused(_ text: String) throws {
    #expect(try unlock(Array(text.utf8)) == .wrongPassphrase)
  }

  @Test func aStoreWithoutPassphraseSaysSo() throws {
    let other = try Scene()
    try other.create()
    #expect(try unlock(Self.passphrase, other.disk) == .noPassphrase)
    #expect(try !LockedKeyStore.open(Scene.path, on: other.disk).acceptsPassphrase)
  }

  /// [KS-KEK-FILE]
  @Test func noByteOfTheFileCanBeChanged() throws {
    let file = try #require(scene.file("kek.json"))
    for i in file.indices {
      let disk = scene.disk.afterCrash(.keepsUnsynced)
      var changed = file
      changed[i] ^= 1
      disk.plant(Scene.path + "/kek.json", changed)
      let error = try unlock(Self.passphrase, disk)
      #expect(
        [.passphraseFile, .wrongPassphrase].contains(error),
        "byte \(i): \(String(describing: error))")
    }
  }

  /// An attacker's file must not make the daemon compute or allocate for ever.
  @Test(arguments: [
    ("passes", 0), ("passes", 17), ("passes", 1 << 40), ("memory", 7 << 10), ("memory", 65_537),
    ("memory", 1 << 30 + 1024), ("memory", 1 << 50),
  ])
  func unreasonableCostsAreRefused(_ member: String, _ value: Int) throws {
    let text = String(decoding: try #require(scene.file("kek.json")), as: UTF8.self)
    let old = member == "passes" ? "\"passes\":1" : "\"memory\":65536"
    let disk = scene.disk.afterCrash(.keepsUnsynced)
    disk.plant(
      Scene.path + "/kek.json", Array(text.replacing(old, with: "\"\(member)\":\(value)").utf8))
    #expect(try unlock(Self.passphrase, disk) == .passphraseFile)
  }

  /// A passphrase that opens a file with another store's KEK in it opens nothing.
  @Test func anotherStoresFileIsRefused() throws {
    let other = try Scene()
    let cost = try #require(PassphraseCost(passes: 1, memory: 64 << 10))
    _ = try LockedKeyStore.create(
      "keys", in: "/state", kek: Scene.kek(3), passphrase: Self.passphrase.span, cost: cost,
      kind: .production, at: Scene.now, on: other.disk)
    scene.disk.plant(Scene.path + "/kek.json", try #require(other.file("kek.json")))
    #expect(try unlock() == .wrongKEK)
  }

  /// What an attempt left behind must not outlive it.
  @Test func aStoreMadeAfterAnAbandonedOneHasNoOldPassphrase() throws {
    scene.disk.unplant(Scene.path + "/manifest.json")
    try scene.create()
    #expect(try unlock() == .noPassphrase)
    #expect(try scene.unlock().records.count == 2)
  }

  @Test func theStandardCostIsTheOneWrittenDown() {
    #expect((PassphraseCost.standard.passes, PassphraseCost.standard.memory) == (3, 67_108_864))
  }
}

@Suite struct CredentialTests {
  init() throws { try #require(TestArena.ready) }

  @Test func thirtyTwoBytesAreAKEK() throws {
    let disk = SimulatedDisk()
    disk.plant("/credential", [UInt8](0..<32))
    let kek = try KeyEncryptionKey.read(credential: "/credential", on: disk)
    #expect(plain(kek) == [UInt8](0..<32))
  }

  /// [KS-UNLOCK-CREDENTIAL]
  @Test(arguments: [0, 1, 31, 33, 64, 65]) func anythingElseIsNot(_ count: Int) {
    let disk = SimulatedDisk()
    disk.plant("/credential", [UInt8](repeating: 7, count: count))
    #expect(
      refusal { () throws(KeyStoreError) in
        _ = try KeyEncryptionKey.read(credential: "/credential", on: disk)
      } == .credential)
  }

  @Test func aMissingFileIsTheDisksError() {
    let error = refusal { () throws(KeyStoreError) in
      _ = try KeyEncryptionKey.read(credential: "/none", on: SimulatedDisk())
    }
    #expect(error == .storage(.disk(DiskError(.open, errno: 2))))
  }

  @Test func newKEKsDiffer() throws {
    let one = try plain(KeyEncryptionKey.generate())
    let other = try plain(KeyEncryptionKey.generate())
    #expect(one.count == 32)
    #expect(one != other)
  }
}
