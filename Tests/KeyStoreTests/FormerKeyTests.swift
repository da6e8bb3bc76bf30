import Ceremony
import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import KeyStore

/// [KS-FORMER] Destroyed keys leave the manifest, and their ids stay.
@Suite struct FormerKeyTests {
  private let scene: Scene
  private let store: KeyStore

  init() throws {
    scene = try Scene()
    try scene.create()
    store = try scene.unlock()
    store.keepDestroyed(seconds: 0)
  }

  /// A key that was destroyed, and has left the manifest.
  private func leave() throws -> KeyID {
    let id = try store.importKey(
      .ec(certificate: nil, merchant: Fixture.merchant), at: Scene.now, anchor: Scene.anchor(1)
    ).id
    try store.destroy(id, at: Scene.now, anchor: Scene.anchor(2))
    #expect(store.record(for: id) == nil && store.wasDestroyed(id))
    return id
  }

  @Test("no key gets a former key's id, in this process or the next; the label is free")
  func anIdIsNeverGivenTwice() throws {
    let id = try leave()
    for store in [store, try scene.reopened()] {
      #expect(store.wasDestroyed(id) && store.records.count == 2)
      #expect(throws: KeyStoreError.importRefused(.keyPresent)) {
        try store.importKey(
          .ec("acme/other", certificate: nil, merchant: Fixture.merchant), at: Scene.later,
          anchor: Scene.anchor(3))
      }
      let other = try PrivateKey.generate(.p256)
      let label = "merchant/acme/processing-2026"
      _ = try store.importKey(
        .ec(label, key: other, certificate: nil, merchant: Fixture.merchant), at: Scene.later,
        anchor: Scene.anchor(3))
    }
  }

  @Test("a key stays until its retention is over, and without one for ever")
  func theRetentionIsKept() throws {
    for (seconds, stays) in [(nil, true), (601, true), (600, false)] as [(Int64?, Bool)] {
      let scene = try Scene()
      try scene.create()
      let store = try scene.unlock()
      store.keepDestroyed(seconds: seconds)
      let id = try store.importKey(.mac("app/old"), at: Scene.now, anchor: Scene.anchor(1)).id
      try store.destroy(id, at: Scene.now, anchor: Scene.anchor(2))
      // 600 seconds later.
      _ = try store.importKey(.mac("app/new"), at: Scene.later, anchor: Scene.anchor(3))
      #expect((store.record(for: id) != nil) == stays, "\(seconds ?? -1)")
    }
  }

  @Test("[KS-UNRECORDED] a key stays while the log may have no record of its end")
  func theLogComesFirst() throws {
    let persons = Persons(asked: 1000)
    let id = try store.importKey(
      .mac("app/old", by: persons), at: Scene.now, anchor: Scene.anchor(1)
    ).id
    store.noteRecorded([.imported(id)])
    try store.setState(.retired, of: id, at: Scene.now, by: persons, anchor: Scene.anchor(2))
    try store.setState(.destroyed, of: id, at: Scene.now, by: persons, anchor: Scene.anchor(3))
    _ = try store.importKey(.mac("app/new"), at: Scene.later, anchor: Scene.anchor(4))
    #expect(store.record(for: id)?.state == .destroyed)
    store.noteRecorded([.entered(.retired, id), .entered(.destroyed, id)])
    _ = try store.importKey(.mac("app/newer"), at: Scene.later, anchor: Scene.anchor(5))
    #expect(store.record(for: id) == nil)
    #expect(store.unrecorded == [])
  }

  @Test("the manifest's HMAC covers the ids; what was cut off behind them does not matter")
  func theFileIsAuthentic() throws {
    _ = try leave()
    let path = Scene.path + "/former.ids"
    let bytes = try #require(scene.disk.contents(path))
    #expect(bytes.count == 16)
    for (found, opens) in [
      (bytes, true), (bytes + [1, 2, 3], true), (Array(bytes.dropLast()), false),
      (bytes.map { ~$0 }, false), (nil, false),
    ] {
      let disk = scene.disk.afterCrash(.keepsUnsynced)
      if let found { disk.plant(path, found) } else { disk.unplant(path) }
      let refusal = refusal { () throws(KeyStoreError) in
        do throws(any Error) { _ = try Scene(disk).unlock() } catch {
          throw error as? KeyStoreError ?? .absent
        }
      }
      #expect(refusal == (opens ? nil : .formerKeys), "\(found ?? [])")
    }
  }

  @Test("a copy, what is restored of it, and a store under another KEK have the ids")
  func theIdsAreTakenAlong() throws {
    let id = try leave()
    _ = try store.copy(to: "copy", in: "/state")
    let disk = scene.disk.afterCrash(.keepsUnsynced)
    let copy = try StoreCopy("/state/copy", on: disk)
    for name in try disk.list(Scene.path) { disk.unplant(Scene.path + "/" + name) }
    disk.unplant(Scene.path)
    try copy.restore(to: "keys", in: "/state", digest: copy.facts.digest, at: Scene.later)
    let restored = try Scene(disk).unlock()
    #expect(restored.wasDestroyed(id))
    let mark = try #require(restored.restoredMark)
    #expect(try restored.matches(mark))
    _ = try store.reseal(under: Scene.kek(9), custodians: ResealTests.register(of: 9))
    let resealed = try Scene(scene.disk.afterCrash(.keepsUnsynced)).unlock(kek: Scene.kek(9))
    #expect(resealed.wasDestroyed(id))
  }

  @Test("[KS-OLDER] the log's records of a former key agree with the store")
  func theLogMayTellOfIt() throws {
    let id = try leave()
    var life = LoggedLife()
    for state in [KeyState.preActive, .active, .retired, .destroyed] {
      life.enter(state, at: Scene.now)
    }
    #expect(store.hasReached([id: life]))
    #expect(store.lag(behind: [id: life]) == (0, 0))
    let other = try #require(KeyID(hex: String(repeating: "0", count: 32)))
    #expect(!store.hasReached([other: life]))
  }

  /// As many as `KIST_SOAK_KEYS` says.
  @Test("keys that come and go leave 16 bytes each, and no change is dearer for them")
  func keysComeAndGo() throws {
    let count = ProcessInfo.processInfo.environment["KIST_SOAK_KEYS"].flatMap { Int($0) } ?? 500
    var sizes: Set<Int> = []
    for number in 0..<count {
      let id = try store.importKey(.mac("app/key"), at: Scene.now, anchor: Scene.anchor(1)).id
      try store.destroy(id, at: Scene.now, anchor: Scene.anchor(2))
      if number >= count / 2 { sizes.insert(scene.file("manifest.json")?.count ?? 0) }
    }
    // The generation and the count have more digits.
    #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 2, "\(sizes)")
    #expect(store.records.count == 2 && scene.file("former.ids")?.count == 16 * count)
    #expect(store.fill < 75)
    print("soak: keys made and destroyed = \(count)")
    print("soak: bytes of the manifest after that = \(sizes.max() ?? 0)")
    #expect(try scene.reopened().records.count == 2)
  }
}
