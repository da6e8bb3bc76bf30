import Ceremony
import Crypto
import Format
import Host
import KeyStore
import TestSupport
import Testing

/// What an insider puts in place while a ceremony is stopped does not pass as the ceremony's own.
@Suite struct PlantedTests {
  private static let label = "merchant/acme/processing-2026"
  private static let requested = TestPlan(
    TestPlan.unlock, TestPlan.merchantKey, TestPlan.requesting)
  private let start: SimulatedDisk
  private let paper: Paper

  init() throws {
    let room = try TestRoom()
    paper = try room.run(
      TestPlan(TestPlan.initialise, TestPlan.importing(role: "key-exchange")), Self.desk([:]),
      in: "/first"
    ).paper
    start = room.disk.afterCrash(.keepsUnsynced)
  }

  private static func desk(_ paper: Paper) -> ScriptedDesk {
    let desk = ScriptedDesk(paper)
    desk.components = TestPlan.components
    return desk
  }

  private func room() throws -> TestRoom { try TestRoom(start.afterCrash(.keepsUnsynced)) }

  /// What an operator can do with a daemon on the store.
  private func plant(_ label: String, _ room: TestRoom) throws {
    let key = KeyImport(
      label: try #require(KeyLabel(label)), role: .merchantProcessingEC,
      material: .privateKey(try PrivateKey.generate(.p256)),
      merchant: MerchantIdentifier("merchant.com.acme"), activates: false)
    let store = try room.store(paper)
    _ = try store.importKey(key, at: room.host.clock(), anchor: store.anchor)
  }

  /// Each call to the disk of the step fails once after the operator read the value back; then
  /// another key lies under the label.
  @Test func aKeyThatWasImportedAtAStop() throws {
    let whole = try room()
    let desk = Self.desk(paper)
    var calls: [Int] = []
    desk.onPrompt = { calls.append(whole.disk.changingCalls) }
    try whole.run(Self.requested, desk)
    let place = try #require(
      desk.asked.firstIndex { $0.contains("check value of \(Self.label), as") })
    var outcomes: [String: Int] = [:]
    for call in calls[place]..<calls[place] + 20 {
      let stopped = try room()
      stopped.disk.fail(call: call, .notDone, errno: 5)
      #expect(throws: CeremonyError.self) { try stopped.run(Self.requested, Self.desk(paper)) }
      let found = try TestRoom(stopped.disk.afterCrash(.keepsUnsynced))
      // Where the ceremony's own key is there already, the label is taken.
      guard (try? plant(Self.label, found)) != nil else { continue }
      do {
        try found.resume(Self.desk(paper))
        Issue.record("call \(call): a planted key passed")
      } catch CeremonyError.refused(let refusal) { outcomes["\(refusal)", default: 0] += 1 }
      #expect(found.disk.contents("/ceremony/outputs/acme.csr") == nil)
      #expect(try found.verdict().reading.stepsDone < 2)
    }
    #expect(
      outcomes.keys.contains { $0.contains("otherStore") } && outcomes.keys.count > 0, "\(outcomes)"
    )
  }

  /// A key of a step that was done: the store of before it, put back, and another key under its
  /// label.
  @Test func aKeyOfAStepThatWasDone() throws {
    let room = try room()
    let before = room.disk.afterCrash(.keepsUnsynced)
    let desk = Self.desk(paper)
    desk.overrides = [("the file's hash was read aloud", ["yes"])]
    let stopped = Stopping(desk, at: "Step 3 of 3")
    #expect(throws: CeremonyError.desk(.gone)) {
      try CeremonyRun.begin(
        Self.requested.decoded(), rehearsal: nil, in: room.directory(), stopped, room.host)
    }
    let found = try TestRoom(room.disk.afterCrash(.keepsUnsynced))
    for name in try found.disk.list("/state/keys") { found.disk.unplant("/state/keys/" + name) }
    for name in try before.list("/state/keys") {
      found.disk.plant("/state/keys/" + name, try #require(before.contents("/state/keys/" + name)))
    }
    try plant(Self.label, found)
    #expect(throws: CeremonyError.refused(.otherStore(nil))) { try found.resume(Self.desk(paper)) }
    #expect(found.disk.contents("/ceremony/outputs/acme.csr") == nil)
  }

  /// An older store, with its old sheets, where the new one was to be made.
  @Test func anOldStoreInPlaceOfTheNewOne() throws {
    let plan = TestPlan(TestPlan.initialise, TestPlan.merchantKey)
    for prompt in ["sheet", "dave: word 33 of 33"] {
      let room = try TestRoom()
      let desk = ScriptedDesk()
      desk.onPrompt = { if desk.asked.last?.contains(prompt) == true { desk.promptLimit = 0 } }
      #expect(throws: CeremonyError.desk(.gone)) { try room.run(plan, desk) }
      let found = try TestRoom(room.disk.afterCrash(.keepsUnsynced))
      try found.disk.makeDirectory("/state/keys", mode: 0o700)
      for name in try start.list("/state/keys") {
        found.disk.plant("/state/keys/" + name, try #require(start.contents("/state/keys/" + name)))
      }
      #expect(throws: CeremonyError.refused(.storePresent)) { try found.resume(Self.desk(paper)) }
      #expect(try found.verdict().reading.stepsDone == 0)
    }
  }

  /// Another copy than the reviewed one, made a store of by hand while the ceremony was stopped.
  @Test func anOlderCopyInPlaceOfTheRestoredOne() throws {
    let room = try room()
    try room.run(
      TestPlan(TestPlan.unlock, TestPlan.backingUp.replacing("copy", with: "old")),
      Self.desk(paper), in: "/second")
    try room.run(
      TestPlan(TestPlan.unlock, TestPlan.merchantKey, TestPlan.backingUp), Self.desk(paper),
      in: "/third")
    let copy = try StoreCopy("/media/copy", on: room.disk).facts.digest
    for name in try room.disk.list("/state/keys") { room.disk.unplant("/state/keys/" + name) }
    room.disk.unplant("/state/keys")
    let desk = Self.desk(paper)
    desk.overrides = [("KEK check value, as", ["1", "2", "3"])]
    #expect(throws: CeremonyError.refused(.attempts)) {
      try room.run(TestPlan(TestPlan.restoring(copy.hex)), desk)
    }
    let found = try TestRoom(room.disk.afterCrash(.keepsUnsynced))
    for name in try found.disk.list("/state/keys") { found.disk.unplant("/state/keys/" + name) }
    found.disk.unplant("/state/keys")
    let old = try StoreCopy("/media/old", on: found.disk)
    try old.restore(
      to: "keys", in: "/state", digest: old.facts.digest, codes: .asCopied, at: found.host.clock())
    #expect(throws: CeremonyError.refused(.otherStore(nil))) { try found.resume(Self.desk(paper)) }
    // The reviewed one goes on.
    let reviewed = try TestRoom(room.disk.afterCrash(.keepsUnsynced))
    let next = try reviewed.resume(Self.desk(paper))
    #expect(next.shown.contains("that was done when the last sitting ended"))
    #expect(next.asked.contains { $0.contains("KEK check value, as") })
  }

  /// Nothing was touched: the key that is there is read back once more, and the ceremony goes on.
  @Test func itsOwnKeyIsReadBackAgain() throws {
    let room = try room()
    let stopped = Stopping(Self.desk(paper), at: "is in the store")
    #expect(throws: CeremonyError.desk(.gone)) {
      try CeremonyRun.begin(
        Self.requested.decoded(), rehearsal: nil, in: room.directory(), stopped, room.host)
    }
    let next = try room.resume(Self.desk(paper))
    #expect(
      next.shown.contains(
        "that was done when the last sitting ended; what it made is read back again"))
    // Once for the key that is there, and once for the request of the next step.
    #expect(next.asked.count { $0.contains("check value of \(Self.label), as") } == 2)
    #expect(try room.verdict().outcome == .unwitnessed)
  }
}

/// A desk that is gone when something is shown.
private final class Stopping: CeremonyDesk {
  private let desk: ScriptedDesk
  private let text: String

  init(_ desk: ScriptedDesk, at text: String) {
    self.desk = desk
    self.text = text
  }

  var size: ScreenSize { desk.size }
  func show(_ text: String) throws(DeskError) {
    guard !text.contains(self.text) else { throw .gone }
    desk.show(text)
  }
  func ask(_ prompt: String) throws(DeskError) -> String { try desk.ask(prompt) }
  func askSecret(_ prompt: String) throws(DeskError) -> SecretBuffer { try desk.askSecret(prompt) }
  func showAlone(_ page: Span<UInt8>) throws(DeskError) { try desk.showAlone(page) }
}
