import Ceremony
import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import KeyStore

/// [KS-RESTORE] A store is made of a copy.
@Suite struct RestoringTests {
  private static let subject = Array("customer-7".utf8)
  /// The disk with the copy, and no store.
  let disk: SimulatedDisk
  let digest: Digest256
  let records: [KeyRecord]
  let codes: KeyID

  init() throws {
    let scene = try Scene()
    try scene.create()
    let store = try scene.unlock()
    codes = try store.importCodes().id
    let unused = try store.importCodes("issuer/unused").id
    _ = try store.importKey(.ec(), at: Scene.now, anchor: Scene.anchor(1))
    let slot = try #require(store.codes(codes))
    _ = try store.ledger(of: slot).update(Self.subject.span, at: Scene.now) { $0.next = 12 }
    digest = try store.copy(to: "copy", in: "/state").digest
    records = store.records
    #expect(records.contains { $0.id == unused })
    disk = scene.disk.afterCrash(.keepsUnsynced)
    for name in try disk.list(Scene.path) { disk.unplant(Scene.path + "/" + name) }
    disk.unplant(Scene.path)
  }

  private func restore(
    _ disk: SimulatedDisk, digest other: Digest256? = nil, codes: StoreCopy.Codes = .refused
  ) throws(KeyStoreError) {
    let copy = try StoreCopy("/state/copy", on: disk)
    try copy.restore(
      to: "keys", in: "/state", digest: other ?? digest, codes: codes, at: Scene.later)
  }

  private func next(_ store: KeyStore, _ id: KeyID) throws -> UInt64 {
    try store.ledger(of: try #require(store.codes(id))).update(Self.subject.span, at: Scene.now) {
      $0.next
    }.get()
  }

  @Test func theStoreIsWhatItWas() throws {
    try restore(disk)
    let store = try Scene(disk).unlock()
    #expect(store.records == records)
    #expect(store.strays == [])
    let mark = try #require(store.restoredMark)
    #expect(
      mark.digest == digest && mark.generation == store.generation && mark.time == Scene.later)
    #expect(throws: KeyStoreError.restoredUnopened) {
      try store.checkpointCounters(anchor: Scene.anchor(9))
    }
    try store.accept(RestoredCopy(mark))
    #expect(store.restoredMark == nil && store.restored?.digest == digest)
    #expect(try Scene(disk.afterCrash(.losesUnsynced)).unlock().restored == store.restored)
    #expect(try StoreCopy("/state/copy", on: disk).facts.digest == digest)
  }

  @Test func anEmptyDirectoryWillDo() throws {
    try disk.makeDirectory(Scene.path, mode: 0o700)
    try restore(disk)
    #expect(try Scene(disk).unlock().records == records)
  }

  /// [KS-RESTORE-CODES] What a copy knows of codes is old: nothing is made of it unless somebody
  /// answers for it.
  @Test func codesAreRefusedUnlessTheyAreSaidToBeCurrent() throws {
    try restore(disk)
    let store = try Scene(disk).unlock()
    for key in records where key.role == .otpHOTP {
      #expect(throws: KeyStoreError.codesNotRestored(key.id)) { try next(store, key.id) }
    }
    #expect(records.count { $0.role == .otpHOTP } == 2)
    // The lost disk's own ledger is as good as ever.
    disk.plant(
      Scene.path + "/" + codes.hex + ".otp",
      try #require(disk.contents("/state/copy/" + codes.hex + ".otp")))
    #expect(try next(try Scene(disk.afterCrash(.keepsUnsynced)).unlock(), codes) == 12)
  }

  @Test func codesThatAreSaidToBeCurrentGoOn() throws {
    try restore(disk, codes: .asCopied)
    #expect(try next(try Scene(disk).unlock(), codes) == 12)
  }

  @Test func anotherDigestIsRefusedAndNothingIsMade() throws {
    let calls = disk.changingCalls
    #expect(throws: KeyStoreError.otherCopy) { try restore(disk, digest: SHA256.hash([])) }
    let block = "/state/copy/" + codes.hex + ".kb"
    disk.plant(block, try #require(disk.contents(block)).reversed())
    #expect(throws: KeyStoreError.otherCopy) { try restore(disk) }
    disk.unplant(block)
    #expect(throws: KeyStoreError.otherCopy) { try restore(disk) }
    #expect(disk.changingCalls == calls)
    #expect(throws: KeyStoreError.absent) { try LockedKeyStore.open(Scene.path, on: disk) }
  }

  @Test func whatIsNoWholeCopyIsRefused() throws {
    disk.plant("/state/copy/restored.json", [])
    #expect(throws: KeyStoreError.strays) { try restore(disk) }
    disk.unplant("/state/copy/restored.json")
    disk.plant("/state/copy/\(codes.hex).kb.orig", [])
    #expect(throws: KeyStoreError.strays) { try restore(disk) }
    disk.unplant("/state/copy/\(codes.hex).kb.orig")
    disk.unplant("/state/copy/manifest.json")
    #expect(throws: KeyStoreError.cutOff) { try restore(disk) }
    for name in try disk.list("/state/copy") { disk.unplant("/state/copy/" + name) }
    disk.unplant("/state/copy")
    #expect(throws: KeyStoreError.absent) { try restore(disk) }
  }

  @Test func aStoreOrWhatIsLeftOfOneStays() throws {
    try disk.makeDirectory(Scene.path, mode: 0o700)
    disk.plant(Scene.path + "/lock", [])
    #expect(throws: KeyStoreError.cutOff) { try restore(disk) }
    disk.unplant(Scene.path + "/lock")
    try restore(disk)
    #expect(throws: KeyStoreError.present) { try restore(disk) }
    let manifest = try #require(disk.contents(Scene.path + "/manifest.json"))
    disk.unplant(Scene.path + "/manifest.json")
    #expect(throws: KeyStoreError.cutOff) { try restore(disk) }
    #expect(throws: KeyStoreError.cutOff) { try LockedKeyStore.open(Scene.path, on: disk) }
    #expect(throws: KeyStoreError.cutOff) { try Scene(disk).create() }
    #expect(throws: KeyStoreError.cutOff) { try StoreCopy(Scene.path, on: disk) }
    disk.plant(Scene.path + "/manifest.json", manifest)
    #expect(try Scene(disk).unlock().records == records)
  }

  @Test func theRootOfAFileSystemWillDo() throws {
    try disk.makeDirectory(Scene.path, mode: 0o700)
    try disk.makeDirectory(Scene.path + "/lost+found", mode: 0o700)
    try restore(disk)
    #expect(try Scene(disk).unlock().strays == [])
  }

  /// On the real file system, whose lock it is.
  @Test func aStoreInUseIsNotReplaced() throws {
    try withTemporaryDirectory { parent in
      let locked = try LockedKeyStore.create(
        "keys", in: parent, kek: Scene.kek(), kind: .production, at: Scene.now)
      let facts = try locked.unlock(kek: Scene.kek(), expecting: .production).copy(
        to: "copy", in: parent)
      let copy = try StoreCopy(parent + "/copy")
      #expect(throws: KeyStoreError.present) {
        try copy.restore(to: "keys", in: parent, digest: facts.digest, at: Scene.later)
      }
      try copy.restore(to: "again", in: parent, digest: facts.digest, at: Scene.later)
      _ = try LockedKeyStore.open(parent + "/again").unlock(
        kek: Scene.kek(), expecting: .production)
      withExtendedLifetime(locked) {}
    }
  }

  @Test func aMarkThatWasNotWrittenSoIsRefused() throws {
    try restore(disk)
    let mark = String(
      decoding: try #require(disk.contents(Scene.path + "/restored.json")), as: UTF8.self)
    for text in [
      "", "{}", mark + " ", mark.uppercased(), mark.replacingOccurrences(of: "/v1", with: "/v2"),
      mark.replacingOccurrences(of: digest.hex, with: digest.hex.uppercased()),
    ] {
      disk.plant(Scene.path + "/restored.json", Array(text.utf8))
      #expect(throws: KeyStoreError.restoredMark, "\(text)") { try Scene(disk).unlock() }
    }
  }

  /// [KS-COPY-ORDER] Cut off at every call in every way: a whole store, or what is refused by name
  /// until somebody clears it away.
  @Test func aCrashLeavesAWholeStoreOrNone() throws {
    var wholes = 0
    var halves = 0
    var absent = 0
    let (_, calls) = try FaultMatrix(from: disk).run { disk in
      (try? restore(disk)) != nil
    } _: { disk, acknowledged, point in
      switch refusal({ () throws(KeyStoreError) in try LockedKeyStore.open(Scene.path, on: disk) })
      {
      case nil:
        let store = try Scene(disk).unlock()
        #expect(store.records == records, "\(point)")
        #expect(store.restoredMark?.digest == digest, "\(point)")
        wholes += 1
      case .cutOff:
        #expect(refusal { () throws(KeyStoreError) in try restore(disk) } == .cutOff, "\(point)")
        #expect(!acknowledged, "\(point)")
        halves += 1
      case .absent: (absent, _) = (absent + 1, #expect(!acknowledged, "\(point)"))
      case let error: Issue.record("\(error as Any) at \(point)")
      }
      #expect(try StoreCopy("/state/copy", on: disk).facts.digest == digest, "\(point)")
    }
    #expect(wholes > 0 && halves > 0 && absent > 0)
    #expect(calls >= 20)
  }
}
