import Ceremony
import Configuration
import KeyBlock
import KeyStore
import SecretMemory
import SecretSharing
import Storage
import TestSupport
import Testing

/// Steps on a store that is there already.
@Suite struct StepTests {
  private let room: TestRoom
  private let paper: [String: [String]]

  init() throws {
    room = try TestRoom()
    paper = try room.run(TestPlan(TestPlan.initialise, TestPlan.merchantKey), in: "/first").paper
  }

  private func desk(_ overrides: (prompt: String, answers: [String])...) -> ScriptedDesk {
    let desk = ScriptedDesk()
    (desk.paper, desk.overrides) = (paper, overrides)
    return desk
  }

  private func importing(_ kcv: String = "1CF741727C", _ overrides: (prompt: String, answers: [String])...) throws -> ScriptedDesk {
    let desk = desk()
    (desk.overrides, desk.components) = (overrides, TestPlan.components)
    try room.run(TestPlan(TestPlan.unlock, TestPlan.importing(kcv)), desk, in: "/second")
    return desk
  }

  @Test func componentsOfAKey() throws {
    let desk = try importing()
    let record = try room.store(paper).records.first { $0.label.text == "data/exchanged" }
    #expect(record?.algorithm.name == "AES-256" && record?.state == .active)
    for component in TestPlan.components.values { #expect(!desk.shown.lowercased().contains(component.digits.lowercased())) }
    #expect(try room.verdict("/second").reading.stepsDone == 2)
  }

  @Test func slipsWithComponents() throws {
    let desk = try importing(
      "1CF741727C", ("carol: component 1", ["00", "nonsense"]), ("carol: check value", ["377822", "377822"]), ("dave: check value", ["000000", "12345"]))
    for text in ["not as long as the key", "not hexadecimal", "its check value is another one", "6 or 10"] { #expect(desk.shown.contains(text), "\(text)") }
  }

  @Test func componentsOfAnotherKey() throws {
    #expect(throws: CeremonyError.component(.combinedCheckValue)) { try importing("0000000000") }
    #expect(try room.store(paper).records.count == 3)
    #expect(try room.verdict("/second").standing == .partial)
  }

  @Test(arguments: ["signing-ecdsa", "mac-hmac-sha256"]) func rolesWithoutComponents(_ role: String) throws {
    #expect(throws: ConfigurationError.self) { try TestPlan(TestPlan.unlock, TestPlan.importing(role: role)).decoded() }
  }

  @Test func theSamePersonNeverHoldsTwoComponents() throws {
    let plan = TestPlan(TestPlan.unlock, TestPlan.importing().replacing("[\"carol\", \"dave\"]", with: "[\"carol\", \"carol\"]"))
    #expect(throws: ConfigurationError.self) { try plan.decoded() }
  }

  @Test func aKeyIsDestroyed() throws {
    try room.run(TestPlan(TestPlan.unlock, TestPlan.destroying), desk(), in: "/second")
    let record = try room.store(paper).records.first { $0.label.text == "merchant/acme/processing-2026" }
    #expect(record?.state == .destroyed)
    #expect(throws: CeremonyError.refused(.keyAbsent)) { try room.run(TestPlan(TestPlan.unlock, TestPlan.destroying), desk(), in: "/third") }
  }

  @Test func aKeyIsNotDestroyedByAnotherName() throws {
    #expect(throws: CeremonyError.refused(.notConfirmed)) {
      try room.run(TestPlan(TestPlan.unlock, TestPlan.destroying), desk(("for ever", ["merchant/acme/processing-2027"])), in: "/second")
    }
    #expect(try room.store(paper).records.allSatisfy { $0.state != .destroyed })
  }

  @Test func theKEKGoesToOthers() throws {
    let desk = desk(("name of the custodian", ["carol", "dave", "carol", "dave"]))
    try room.run(TestPlan(TestPlan.unlock, TestPlan.resharing), desk, in: "/second")
    let register = try LockedKeyStore.open("/state/keys", on: room.disk).custodians()
    #expect(register?.groups.first?.holdings.map(\.holder.name) == ["dave", "bob"])
    #expect(desk.pages.count == 2 && desk.paper["dave"] != paper["dave"])
    _ = try room.store(desk.paper, ["dave", "bob"])
    // The KEK is the same: old sheets open the store until they are destroyed.
    _ = try room.store(paper)
    #expect(try room.verdict("/second").standing == .unwitnessed)
  }
}
