import Crypto
import Host
import KeyStore
import TestSupport
import Testing

@testable import Ceremony

/// A ceremony goes on from the transcript that people were at, and from no other.
@Suite struct PaperTests {
  private let room: TestRoom
  private let paper: Paper
  private static let plan = TestPlan(
    TestPlan.unlock, TestPlan.destroying, TestPlan.generate("data/pan", "surrogate", "AES-256"))

  init() throws {
    room = try TestRoom()
    paper = try room.run(TestPlan(TestPlan.initialise, TestPlan.merchantKey), in: "/first").paper
  }

  /// A sitting that is stopped by a value that nobody reads back rightly.
  private func stopped(_ room: TestRoom, _ overrides: ScriptedDesk.Override...) throws
    -> ScriptedDesk
  {
    let desk = ScriptedDesk(
      paper, answering: overrides + [("check value of data/pan, as", ["1", "2", "3"])])
    #expect(throws: CeremonyError.refused(.attempts)) { try room.run(Self.plan, desk) }
    return desk
  }

  private func newest(_ desk: ScriptedDesk) throws -> String {
    String(try #require(desk.shown.matches(of: /checkpoint after [^:]+: ([0-9a-f]{32})/).last).1)
  }

  @Test func aStopShowsWhatGoesOnPaper() throws {
    let desk = try stopped(room)
    #expect(
      desk.shown.contains("checkpoint after the roll call: ")
        && desk.shown.contains("checkpoint after step 2: "))
    #expect(desk.shown.contains("checkpoint after the stop: "))
    #expect(desk.asked.last?.hasPrefix("wendy: file with your signature") == true)
    #expect(room.disk.contents("/ceremony/transcript-1/checkpoint") != nil)
    let next = ScriptedDesk(paper)
    next.mark = try newest(desk)
    try room.resume(next)
    #expect(next.asked.filter { $0.contains("checkpoint on your paper") }.count == 2)
    #expect(!next.asked.contains { $0.contains("that are shown after that checkpoint") })
    #expect(try room.verdict().outcome == .unwitnessed)
  }

  /// In words as in digits, whatever the case of letters; what was shown earlier has the rest shown
  /// and confirmed.
  @Test func wordsAndEarlierCheckpoints() throws {
    let desk = try stopped(room)
    let shown = try #require(
      desk.shown.firstMatch(of: /checkpoint after step 2: [0-9a-f]{32}\n([^\n]+)\n([^\n]+)\n/))
    let next = ScriptedDesk(paper)
    next.mark = (shown.1 + shown.2).uppercased()
    try room.resume(next)
    #expect(
      next.shown.contains("step 3 begins: generate")
        && next.asked.contains { $0.contains("records that are shown after that checkpoint") })
    #expect(try room.verdict().outcome == .unwitnessed)
  }

  @Test(arguments: ["none", "", "0123456789abcdef0123456789abcdef"]) func whoHasNoCheckpointOnPaper(
    _ typed: String
  ) throws {
    _ = try stopped(room)
    let next = ScriptedDesk(paper)
    next.mark = typed
    #expect(throws: CeremonyError.refused(.otherTranscript)) { try room.resume(next) }
    #expect(try room.verdict().reading.stepsDone == 2)
  }

  /// A first sitting that somebody made up says that the key is destroyed: it goes on from no paper
  /// of those who were at another.
  @Test func aSittingThatWasMadeUp() throws {
    let real = try stopped(room)
    let made = try TestRoom(room.disk.afterCrash(.keepsUnsynced))
    for name in try made.disk.list("/ceremony/transcript-1") {
      made.disk.unplant("/ceremony/transcript-1/" + name)
    }
    let other = try TestRoom()
    let again = try other.run(TestPlan(TestPlan.initialise, TestPlan.merchantKey), in: "/first")
    let desk = ScriptedDesk(
      again.paper, answering: [("check value of data/pan, as", ["1", "2", "3"])])
    #expect(throws: CeremonyError.refused(.attempts)) { try other.run(Self.plan, desk) }
    for name in try other.disk.list("/ceremony/transcript-1") {
      made.disk.plant(
        "/ceremony/transcript-1/" + name,
        try #require(other.disk.contents("/ceremony/transcript-1/" + name)))
    }
    let next = ScriptedDesk(paper)
    next.mark = try newest(real)
    #expect(throws: CeremonyError.refused(.otherTranscript)) { try made.resume(next) }
  }

  /// A first sitting that did nothing, whole and signed in order, as whoever runs the program can
  /// make one; its checkpoints are on every paper.
  @Test(arguments: [
    ("nobody was asked", "alice answers 'your name, or absent'"),
    ("nobody read back", "bob reads back KEK check value"),
  ])
  func aSignedSittingThatDidNothing(_ lack: String, _ missing: String) throws {
    _ = try stopped(room)
    let said = try room.verdict().reading.entries.dropFirst().map(\.entry).filter { entry in
      switch entry {
      case .step, .stepDone, .change, .inventory, .fact, .shown: true
      case .readBack: false
      case .began, .present, .absent, .answer, .sheet, .entry, .output, .exception, .complete:
        lack == "nobody read back"
      }
    }
    let forged = try TestRoom(room.disk.afterCrash(.keepsUnsynced))
    for name in try forged.disk.list("/ceremony/transcript-1") {
      forged.disk.unplant("/ceremony/transcript-1/" + name)
    }
    forged.disk.unplant("/ceremony/transcript-1")
    let place = try #require(StorePlace("/state/keys"))
    let transcript = try Transcript(
      sitting: 1, of: Self.plan.decoded(), kind: .production, store: place, genesis: nil,
      in: forged.directory(), forged.host)
    for entry in said { try transcript.record(entry) }
    _ = try transcript.closeUnfinished()
    #expect(try TranscriptReading(forged.directory()).stepsDone == 2)
    let before = try forged.store(paper).records
    let next = ScriptedDesk(paper)
    do {
      try forged.resume(next)
      Issue.record("it went on")
    } catch CeremonyError.transcript(.record(let mismatch)) {
      #expect(mismatch.expected.contains(missing), "\(mismatch)")
    }
    #expect(next.prompts == 0)
    #expect(try forged.store(paper).records == before)
  }

  /// A log that is cut at an older checkpoint loses an exception, and the paper has a newer one.
  @Test func anExceptionThatWasCutAway() throws {
    var before: SimulatedDisk?
    let desk = ScriptedDesk(
      paper,
      answering: [("check value of data/pan, as", ["! bob read it from a note", "1", "2", "3"])])
    desk.onPrompt = { [room] in
      if desk.asked.last?.contains("check value of data/pan, as") == true, before == nil {
        before = room.disk.afterCrash(.losesUnsynced)
      }
    }
    #expect(throws: CeremonyError.refused(.attempts)) { try room.run(Self.plan, desk) }
    #expect(desk.shown.contains("checkpoint after an exception: "))
    let older: SimulatedDisk = try #require(before)
    let cut = try TestRoom(older)
    #expect(try cut.verdict().reading.exceptions.isEmpty)
    let next = ScriptedDesk(paper)
    next.mark = try newest(desk)
    #expect(throws: CeremonyError.refused(.otherTranscript)) { try cut.resume(next) }
  }

  @Test func sheetsThatAreWorthless() throws {
    let fresh = try TestRoom()
    let desk = ScriptedDesk(answering: [("dave: word 1 of", ["academic", "academic", "academic"])])
    #expect(throws: CeremonyError.refused(.attempts)) { try fresh.run(TestPlan(), desk) }
    let next = try fresh.resume(ScriptedDesk())
    let told = try #require(next.shown.firstMatch(of: /These sheets are WORTHLESS[^\n]+/))
    for name in ["bob", "carol", "dave"] {
      let fingerprint = try #require(desk.pages[name]?.firstMatch(of: /Fingerprint +([^\n]+)/))
      #expect(told.0.contains("of \(name), fingerprint \(fingerprint.1)"))
    }
    #expect(
      try fresh.verdict().reading.exceptions.contains { $0.entry.text.contains("worthless sheets") }
    )
    #expect(try fresh.verdict().outcome == .unwitnessed)
  }

  @Test func strangersAmongTheOutputs() throws {
    try room.run(TestPlan(TestPlan.unlock), ScriptedDesk(paper))
    room.disk.plant("/ceremony/outputs/other.csr", [])
    #expect(throws: TranscriptFault.stranger("other.csr")) { try room.verdict() }
  }
}
