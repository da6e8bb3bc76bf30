import Ceremony
import KeyStore
import Storage
import TestSupport
import Testing

/// A ceremony that ends anywhere leaves the old keys as they were, a transcript that is true as far as it goes, and can go on.
@Suite struct AbortTests {
  private static let plan = TestPlan(TestPlan.initialise + "\naudit_origin = \"acme/audit\"", TestPlan.merchantKey)
  private static let labels = ["audit/digest", "audit/signing", "merchant/acme/processing-2026"]

  /// Every prompt but the last, which asks for a signature; of a share's words, the one in the middle.
  private func places(_ asked: [String]) -> [Int] {
    asked.indices.dropLast().filter { !asked[$0].contains(": word ") || asked[$0].contains(": word 17 ") }
  }

  @Test func theTerminalGoesAtAnyPrompt() throws {
    for place in places(try TestRoom().run(Self.plan).asked) {
      let room = try TestRoom()
      let desk = ScriptedDesk()
      desk.promptLimit = place
      #expect(throws: CeremonyError.desk(.gone)) { try room.run(Self.plan, desk) }
      #expect(try room.verdict().standing == .partial, "prompt \(place)")
      let whole = try finish(room, desk.paper)
      #expect(whole.reading.sittings == 2 && whole.reading.interrupted == 1 && whole.reading.exceptions.count == 1, "prompt \(place)")
    }
  }

  /// Power is lost at any call to the disk: what was durable is all there is.
  @Test func powerGoesAtAnyCall() throws {
    let start = try TestRoom().disk
    let whole = try TestRoom(start.afterCrash(.keepsUnsynced))
    try whole.run(Self.plan)
    for call in stride(from: 0, to: whole.disk.changingCalls, by: 11) {
      let room = try TestRoom(start.afterCrash(.keepsUnsynced))
      room.disk.fail(call: call, .notDone, errno: 5)
      let desk = ScriptedDesk()
      do {
        try room.run(Self.plan, desk)
      } catch is CeremonyError {}
      let after = try TestRoom(room.disk.afterCrash(.losesUnsynced))
      let verdict: CeremonyVerdict
      do { verdict = try after.verdict() } catch TranscriptFault.unreadable, TranscriptFault.sitting(1) { continue }
      #expect(verdict.standing != .complete, "call \(call)")
      if verdict.reading.hasBegun { _ = try finish(after, desk.paper) }
    }
  }

  /// The sheets that count are those of the sitting in which the store was made.
  private func finish(_ room: TestRoom, _ paper: Paper) throws -> CeremonyVerdict {
    let desk = ScriptedDesk()
    desk.paper = paper
    try room.resume(desk)
    #expect(try room.store(desk.paper).records.map(\.label.text) == Self.labels)
    let verdict = try room.verdict()
    #expect(verdict.standing == .unwitnessed)
    return verdict
  }

  private static let laterSteps = [
    TestPlan.generate("data/pan", "surrogate", "AES-256"), TestPlan.importing(), TestPlan.resharing, TestPlan.destroying, TestPlan.requesting,
  ]

  @Test(arguments: laterSteps) func theOldKeysStay(_ step: String) throws {
    let first = try TestRoom()
    let paper = try first.run(Self.plan, in: "/first").paper
    let start = first.disk.afterCrash(.keepsUnsynced)
    let before = try DurableFile.read("/state/keys/manifest.json", limit: 1 << 20, on: start)
    let plan = TestPlan(TestPlan.unlock, step)
    let asked = try TestRoom(start.afterCrash(.keepsUnsynced)).run(plan, Self.desk(paper)).asked
    let opened = try #require(asked.firstIndex { $0.contains("KEK check value, as") })
    for place in places(asked) where place >= opened {
      let room = try TestRoom(start.afterCrash(.keepsUnsynced))
      let desk = Self.desk(paper)
      desk.promptLimit = place
      #expect(throws: CeremonyError.desk(.gone)) { try room.run(plan, desk) }
      #expect(try DurableFile.read("/state/keys/manifest.json", limit: 1 << 20, on: room.disk) == before)
      #expect(try room.store(paper).records.map(\.label.text) == Self.labels)
      #expect(try room.verdict().standing == .partial, "prompt \(place)")
      try room.resume(Self.desk(paper))
      #expect(try room.verdict().standing == .unwitnessed, "prompt \(place)")
    }
  }

  private static func desk(_ paper: Paper) -> ScriptedDesk {
    let desk = ScriptedDesk()
    (desk.paper, desk.components) = (paper, TestPlan.components)
    desk.custodians = ["carol", "dave", "carol", "dave"]
    return desk
  }

  @Test func whatIsComplete() throws {
    let room = try TestRoom()
    try room.run(Self.plan)
    let again = try room.resume(ScriptedDesk())
    #expect(again.prompts == 1 && again.shown.contains("Checkpoint"))
    #expect(try room.verdict().reading.sittings == 1)
    // The power went between the last record and the note.
    room.disk.unplant("/ceremony/transcript.note")
    #expect(try room.verdict().standing == .partial)
    try room.resume(ScriptedDesk())
    #expect(try room.verdict().standing == .unwitnessed)
  }
}
