import Ceremony
import Crypto
import Host
import KeyStore
import TestSupport
import Testing

/// The step rotate-kek: a new KEK, new sheets, and nothing that the old ones open.
@Suite struct RotateKEKTests {
  private let room: TestRoom
  private let paper: Paper
  private static let plan = TestPlan(
    TestPlan.unlock, TestPlan.rotating, TestPlan.generate("data/pan", "surrogate", "AES-256"))

  init() throws {
    room = try TestRoom()
    paper = try room.run(TestPlan(TestPlan.initialise, TestPlan.merchantKey), in: "/first").paper
  }

  private func desk() -> ScriptedDesk {
    let desk = ScriptedDesk(paper)
    desk.custodians = ["carol", "dave"]
    return desk
  }

  @Test(arguments: [["bob", "carol"], ["bob", "dave"], ["dave", "carol"]])
  func anyTwoOfTheNewSheets(_ custodians: [String]) throws {
    let before = try room.store(paper).records
    let desk = try room.run(Self.plan, desk(), in: "/second")
    let after = try room.store(desk.paper, custodians).records
    #expect(after.filter { $0.label.text != "data/pan" }.map(\.check) == before.map(\.check))
    #expect(after.count == before.count + 1)
    #expect(throws: KeyStoreError.wrongKEK) { try room.store(paper) }
    #expect(desk.shown.contains("has to be made anew") && desk.pages.count == 3)
    #expect(try room.verdict("/second").outcome == .unwitnessed)
  }

  @Test func diceGoIn() throws {
    let steps = TestPlan(TestPlan.unlock, TestPlan.rotating + "\ndice = true")
    let desk = try room.run(steps, desk(), in: "/second")
    #expect(desk.asked.contains { $0.contains("faces") })
    _ = try room.store(desk.paper)
  }

  @Test func theRegisterIsOfTheNewSheets() throws {
    let desk = try room.run(Self.plan, desk(), in: "/second")
    let register = try #require(try LockedKeyStore.open("/state/keys", on: room.disk).custodians())
    #expect(register.groups.flatMap(\.holdings).map(\.holder.name) == ["carol", "dave", "bob"])
    for holding in register.groups.flatMap(\.holdings) {
      #expect(desk.pages[holding.holder.name]?.contains(holding.fingerprint.description) == true)
    }
  }

  @Test func afterARotationAReshareIsOfTheNewKEK() throws {
    let desk = desk()
    desk.custodians = ["carol", "dave", "carol", "bob"]
    try room.run(
      TestPlan(TestPlan.unlock, TestPlan.rotating, TestPlan.resharing), desk, in: "/second")
    _ = try room.store(desk.paper, ["dave", "bob"])
    #expect(throws: KeyStoreError.wrongKEK) { try room.store(paper) }
  }

  /// A sheet that cannot be read back changes nothing.
  @Test(arguments: ["bob: word 1 of", "carol: word 33 of"]) func aSheetThatWasWrittenDownWrongly(
    _ prompt: String
  ) throws {
    let desk = desk()
    let before = try DurableFile.read("/state/keys/manifest.json", limit: 1 << 20, on: room.disk)
    desk.wrongFromSheet = prompt
    #expect(throws: CeremonyError.refused(.attempts)) {
      try room.run(Self.plan, desk, in: "/second")
    }
    #expect(
      try DurableFile.read("/state/keys/manifest.json", limit: 1 << 20, on: room.disk) == before)
    _ = try room.store(paper)
    #expect(try room.verdict("/second").outcome == .partial)
  }

  @Test func aStoreUnderAPassphrase() throws {
    let passphrase = Array("correct".utf8)
    let kek = try KeyEncryptionKey.generate()
    let cost = try #require(PassphraseCost(passes: 1, memory: 8 << 10))
    _ = try LockedKeyStore.create(
      "other", in: "/state", kek: kek, passphrase: passphrase.span, cost: cost, kind: .production,
      at: room.host.clock(), on: room.disk)
    var plan = TestPlan("kind = \"unlock\"\nwith = \"passphrase\"", TestPlan.rotating)
    plan.head.replace("/state/keys", with: "/state/other")
    let desk = ScriptedDesk(answering: [("passphrase of", ["correct"])])
    // It stops after the store has gone over: the passphrase that opened it is gone, and the new
    // sheets open it.
    desk.overrides.append(("sheets of the old set", ["no", "no", "no"]))
    #expect(throws: CeremonyError.refused(.notConfirmed)) { try room.run(plan, desk) }
    #expect(try LockedKeyStore.open("/state/other", on: room.disk).acceptsPassphrase == false)
    let next = ScriptedDesk(desk.paper)
    try room.resume(next)
    #expect(next.pages.isEmpty && next.shown.contains("that was done when the last sitting ended"))
    _ = try room.store(desk.paper, at: "/state/other")
    #expect(try room.verdict().outcome == .unwitnessed)
  }

  @Test func aRehearsal() throws {
    let place = StorePlace(parent: "/rehearsal", name: "keys")
    let first = try room.run(TestPlan(), rehearsal: place, in: "/rehearsal")
    let desk = ScriptedDesk(first.paper)
    desk.custodians = ["carol", "dave"]
    try room.run(Self.plan, desk, rehearsal: place, in: "/rehearsal-2")
    #expect(desk.pages.values.allSatisfy { $0.hasPrefix("REHEARSAL") })
    _ = try room.store(desk.paper, ["bob", "dave"], .rehearsal, at: "/rehearsal/keys")
    #expect(throws: KeyStoreError.wrongKind(.rehearsal)) {
      try room.store(desk.paper, at: "/rehearsal/keys")
    }
    #expect(try room.verdict("/rehearsal-2").outcome == .rehearsed)
  }
}
