import Ceremony
import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import KeyStore

/// [KS-COPY] A live store writes a verified copy of itself.
@Suite struct CopyingTests {
  static let copy = "/state/2026-10-01"
  let scene: Scene
  let codes: KeyID

  init() throws {
    scene = try Scene()
    try scene.create()
    let store = try scene.unlock()
    codes = try store.importCodes().id
    _ = try store.importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1))
    let slot = try #require(store.codes(codes))
    _ = try store.ledger(of: slot).update(Array("customer-7".utf8).span, at: Scene.now) {
      $0.next = 12
    }
    try store.countInvocation(of: codes)
  }

  private func copy(_ scene: Scene) throws -> CopyFacts {
    try scene.unlock().copy(to: "2026-10-01", in: "/state")
  }

  @Test func everyFileIsThereAndNothingElse() throws {
    let facts = try copy(scene)
    let names = try scene.disk.list(Scene.path).filter { $0 != "lock" }
    #expect(try scene.disk.list(Self.copy) == names)
    #expect(
      names.count == 8 && names.contains(codes.hex + ".otp") && names.contains(codes.hex + ".ctr"))
    for name in names {
      #expect(scene.disk.contents(Self.copy + "/" + name) == scene.file(name), "\(name)")
    }
    #expect(facts.keys == 4 && facts.generation == 3)
    #expect(try StoreCopy(Self.copy, on: scene.disk).facts == facts)
    #expect(try StoreCopy(Self.copy, on: scene.disk).rebuild(kek: Scene.kek()).records.count == 4)
  }

  /// [KS-COPY-DIGEST] Anybody can work it out.
  @Test func theDigestIsThatOfCoreutils() throws {
    try withTemporaryDirectory { parent in
      let locked = try LockedKeyStore.create(
        "keys", in: parent, kek: Scene.kek(), kind: .production, at: Scene.now)
      let facts = try locked.unlock(kek: Scene.kek(), expecting: .production).copy(
        to: "copy", in: parent)
      let shell = Process()
      let output = Pipe()
      shell.executableURL = URL(fileURLWithPath: "/bin/sh")
      shell.arguments = ["-c", "cd \"$0\" && LC_ALL=C sha256sum * | sha256sum", parent + "/copy"]
      shell.standardOutput = output
      try shell.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      shell.waitUntilExit()
      #expect(text == facts.digest.hex + "  -\n")
    }
  }

  @Test func everyByteAndNameCountsInTheDigest() throws {
    let digest = try copy(scene).digest
    var seen: Set<Digest256> = [digest]
    for name in try scene.disk.list(Self.copy)
    where name.hasSuffix(".kb") || name.hasSuffix(".otp") || name.hasSuffix(".ctr") {
      let disk = scene.disk.afterCrash(.keepsUnsynced)
      var bytes = try #require(disk.contents(Self.copy + "/" + name))
      bytes[bytes.count - 1] ^= 1
      disk.plant(Self.copy + "/" + name, bytes)
      #expect(seen.insert(try StoreCopy(Self.copy, on: disk).facts.digest).inserted, "\(name)")
      disk.unplant(Self.copy + "/" + name)
      #expect(
        seen.insert(try StoreCopy(Self.copy, on: disk).facts.digest).inserted, "without \(name)")
    }
    #expect(seen.count == 13)
  }

  @Test func whatIsThereIsNotTouched() throws {
    let digest = try copy(scene).digest
    let store = try scene.unlock()
    let calls = scene.disk.changingCalls
    #expect(throws: KeyStoreError.present) { try store.copy(to: "2026-10-01", in: "/state") }
    #expect(throws: KeyStoreError.present) { try store.copy(to: "keys", in: "/state") }
    #expect(throws: KeyStoreError.storage(.disk(DiskError(.makeDirectory, errno: 2)))) {
      try LinuxStore.copyNowhere()
    }
    #expect(scene.disk.changingCalls <= calls + 2)
    #expect(try StoreCopy(Self.copy, on: scene.disk).facts.digest == digest)
  }

  @Test func aStoreThatIsNotItselfIsNotCopied() throws {
    let store = try scene.unlock()
    let manifest = try #require(scene.file("manifest.json"))
    scene.disk.plant(Scene.path + "/manifest.json", manifest.dropLast() + [0x20])
    #expect(throws: KeyStoreError.changedOnDisk) { try store.copy(to: "2026-10-01", in: "/state") }
    #expect(throws: DiskError.self) { try scene.disk.list(Self.copy) }
    scene.disk.plant(Scene.path + "/manifest.json", manifest)
    let block = codes.hex + ".kb"
    scene.disk.plant(Scene.path + "/" + block, [0x44])
    #expect(throws: KeyStoreError.key(codes, .blockDigest)) {
      try store.copy(to: "2026-10-01", in: "/state")
    }
    scene.disk.unplant(Scene.path + "/" + block)
    #expect(throws: KeyStoreError.key(codes, .blockMissing)) {
      try store.copy(to: "2026-10-02", in: "/state")
    }
  }

  /// [KS-COPY-ORDER] Cut off at every call in every way: a whole copy or one that is refused by
  /// name, and the store is as it was.
  @Test func twoCopiesOfOneSecond() throws {
    let scene = try Scene()
    try scene.create()
    let store = try scene.unlock()
    try scene.disk.makeDirectory("/copies", mode: 0o700)
    let names = try (0..<3).map { _ in
      try store.copy(in: "/copies") { "2026-11-20T093000Z-g\($0)" }.name
    }
    #expect(
      names == ["2026-11-20T093000Z-g1", "2026-11-20T093000Z-g1-2", "2026-11-20T093000Z-g1-3"])
    #expect(throws: KeyStoreError.present) { try store.copy(to: names[0], in: "/copies") }
  }

  @Test func aCrashLeavesAWholeCopyOrNone() throws {
    let records = try scene.unlock().records
    var wholes = 0
    var halves = 0
    var absent = 0
    let (_, calls) = try FaultMatrix(from: scene.disk).run { disk in
      try? copy(Scene(disk))
    } _: { disk, acknowledged, point in
      switch refusal({ () throws(KeyStoreError) in try StoreCopy(Self.copy, on: disk) }) {
      case nil:
        let found = try StoreCopy(Self.copy, on: disk)
        #expect(acknowledged.map { $0 == found.facts } ?? true, "\(point)")
        #expect(try found.rebuild(kek: Scene.kek()).records.count == 4, "\(point)")
        wholes += 1
      case .cutOff: (halves, _) = (halves + 1, #expect(acknowledged == nil, "\(point)"))
      case .absent: (absent, _) = (absent + 1, #expect(acknowledged == nil, "\(point)"))
      case let error: Issue.record("\(error as Any) at \(point)")
      }
      #expect(try Scene(disk).unlock().records == records, "\(point)")
    }
    #expect(wholes > 0 && halves > 0 && absent > 0)
    #expect(calls >= 20)
  }
}

private enum LinuxStore {
  /// To a parent directory that is not there.
  static func copyNowhere() throws {
    try withTemporaryDirectory { parent in
      let locked = try LockedKeyStore.create(
        "keys", in: parent, kek: Scene.kek(), kind: .production, at: Scene.now)
      _ = try locked.unlock(kek: Scene.kek(), expecting: .production).copy(
        to: "copy", in: parent + "/nowhere")
    }
  }
}
