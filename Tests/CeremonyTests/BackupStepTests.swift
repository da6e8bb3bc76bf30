import Ceremony
import Crypto
import Host
import KeyStore
import TestSupport
import Testing

/// The steps back-up and restore: a copy that is known to be whole, and a store of it.
@Suite struct BackupStepTests {
  private let room: TestRoom
  private let paper: Paper

  init() throws {
    room = try TestRoom()
    paper = try room.run(TestPlan(TestPlan.initialise, TestPlan.merchantKey), in: "/first").paper
  }

  private func desk(_ overrides: ScriptedDesk.Override...) -> ScriptedDesk {
    ScriptedDesk(paper, answering: overrides)
  }

  private func backUp() throws -> Digest256 {
    try room.run(TestPlan(TestPlan.unlock, TestPlan.backingUp), desk(), in: "/second")
    let text = try DurableFile.read("/second/outputs/copy.sha256", limit: 128, on: room.disk)
    return try #require(Digest256(hex: String(decoding: text.dropLast(), as: UTF8.self)))
  }

  /// Another machine, that has the copy alone.
  private func elsewhere() throws -> TestRoom {
    let other = try TestRoom()
    try other.disk.makeDirectory("/media/copy", mode: 0o700)
    for name in try room.disk.list("/media/copy") {
      other.disk.plant(
        "/media/copy/" + name, try #require(room.disk.contents("/media/copy/" + name)))
    }
    return other
  }

  @Test func aCopyAndAStoreOfIt() throws {
    let digest = try backUp()
    #expect(try room.verdict("/second").outcome == .unwitnessed)
    let before = try room.store(paper).records
    let other = try elsewhere()
    try other.run(TestPlan(TestPlan.restoring(digest.hex), TestPlan.destroying), desk())
    let after = try other.store(paper).records
    #expect(after.map(\.check) == before.map(\.check) && after.last?.state == .destroyed)
    #expect(try other.verdict().outcome == .unwitnessed)
    // Vouched for: the manifest says so in the mark's place, until a daemon has recorded it.
    #expect(other.disk.contents("/state/keys/restored.json") == nil)
    let manifest = String(
      decoding: other.disk.contents("/state/keys/manifest.json") ?? [], as: UTF8.self)
    #expect(manifest.contains(#""restored":{"digest":"\#(digest.hex)","generation":"#))
  }

  @Test func whatIsThereIsLeftAlone() throws {
    let digest = try backUp()
    #expect(throws: CeremonyError.keyStore(.present)) {
      try room.run(TestPlan(TestPlan.unlock, TestPlan.backingUp), desk(), in: "/third")
    }
    #expect(throws: CeremonyError.refused(.storePresent)) {
      try room.run(TestPlan(TestPlan.restoring(digest.hex)), desk(), in: "/fourth")
    }
    #expect(throws: DiskError.self) { try room.disk.list("/fourth") }
    #expect(try StoreCopy("/media/copy", on: room.disk).facts.digest == digest)
  }

  @Test func anotherCopyIsRefused() throws {
    _ = try backUp()
    let other = try elsewhere()
    #expect(throws: CeremonyError.keyStore(.otherCopy)) {
      try other.run(TestPlan(TestPlan.restoring()), desk())
    }
    #expect(throws: KeyStoreError.absent) { try LockedKeyStore.open("/state/keys", on: other.disk) }
    #expect(try other.verdict().outcome == .partial)
    #expect(throws: CeremonyError.keyStore(.absent)) {
      try TestRoom().run(TestPlan(TestPlan.restoring()), desk())
    }
  }

  /// A sitting that goes on makes a directory of its own; what is left of the other is no backup.
  @Test func aBackupThatWasCutOff() throws {
    let plan = TestPlan(TestPlan.unlock, TestPlan.backingUp)
    #expect(throws: CeremonyError.refused(.attempts)) {
      try room.run(plan, desk(("the backup's SHA-256, as", ["1", "2", "3"])))
    }
    #expect(try room.verdict().outcome == .partial)
    let next = try room.resume(desk())
    #expect(next.shown.contains("/media/copy-2, generation"))
    #expect(
      try StoreCopy("/media/copy-2", on: room.disk).rebuild(kek: paper.kek(["bob", "carol"]))
        .records.count == 3)
    #expect(try room.verdict().outcome == .unwitnessed)
  }

  /// Cut off after the store was made: the sheets open it, and that is all that is left to do.
  @Test func aRestoringThatWasCutOff() throws {
    let digest = try backUp()
    let other = try elsewhere()
    #expect(throws: CeremonyError.refused(.attempts)) {
      try other.run(
        TestPlan(TestPlan.restoring(digest.hex)), desk(("KEK check value, as", ["1", "2", "3"])))
    }
    let next = try other.resume(desk())
    #expect(next.shown.contains("that was done when the last sitting ended"))
    #expect(try other.verdict().outcome == .unwitnessed)
    // Cut off while it was made: somebody clears it away, and it is made again.
    let third = try elsewhere()
    let half = desk()
    half.promptLimit = half.prompts + 1
    #expect(throws: CeremonyError.desk(.gone)) {
      try third.run(TestPlan(TestPlan.restoring(digest.hex)), half)
    }
    try third.disk.makeDirectory("/state/keys", mode: 0o700)
    third.disk.plant("/state/keys/restored.json", [])
    #expect(throws: CeremonyError.keyStore(.cutOff)) { try third.resume(desk()) }
    for name in ["/restored.json", ""] { third.disk.unplant("/state/keys" + name) }
    try third.resume(desk())
    #expect(try third.store(paper).records.count == 3)
  }

  @Test func aRehearsal() throws {
    let place = StorePlace(parent: "/rehearsal", name: "keys")
    let first = try room.run(
      TestPlan(TestPlan.initialise, TestPlan.backingUp), rehearsal: place, in: "/rehearsal")
    #expect(first.shown.contains("/media/REHEARSAL-copy, generation"))
    let second = ScriptedDesk(first.paper)
    let other = StorePlace(parent: "/rehearsal-2", name: "keys")
    try room.run(TestPlan(TestPlan.restoring()), second, rehearsal: other, in: "/rehearsal-2")
    _ = try room.store(first.paper, ["bob", "carol"], .rehearsal, at: "/rehearsal-2/keys")
    #expect(throws: KeyStoreError.absent) { try StoreCopy("/media/copy", on: room.disk) }
  }
}
