import Crypto
import Format
import Foundation
import KeyStore
import TestSupport
import Testing
@testable import Ceremony

/// A transcript that lacks a record, has one twice or elsewhere, or says something else in one, is
/// not the transcript of its plan.
///
/// The logs would be whole: whoever makes up a transcript signs it with a key of their own. Only
/// what people said in words of their own can be changed, and the signatures of the witnesses show
/// that.
@Suite struct HollowTests {
  /// A real transcript of each kind of step, and of one that was stopped at its last but one
  /// prompt.
  ///
  /// In the long form every change of every record, else each loss and one in six of the others;
  /// and what all trials begin with, roll call and opening, in those alone that have no other step.
  @Test(arguments: AbortTrial.all, [false, true]) func everyRecordCounts(
    _ trial: AbortTrial, _ isStopped: Bool
  ) throws {
    let reading = try Self.real(trial, isStopped)
    let rows = Self.rows(reading)
    try Self.check(reading.plan, rows)
    for sitting in rows.indices {
      // The first record of a sitting is checked with its log.
      for place in rows[sitting].indices.dropFirst()
      where LongForm.isOn || place >= Self.ownPart(rows[sitting], trial) {
        for (number, (change, entries)) in Self.changes(of: rows[sitting], at: place).enumerated()
        where LongForm.isOn || number == 0 || (number + place) % 6 == 0 {
          var changed = rows
          changed[sitting] = entries
          let entry = rows[sitting][place]
          #expect(
            throws: (any Error).self,
            "\(trial.testDescription): \(change) of record \(place) of sitting \(sitting + 1), \(entry.text)"
          ) {
            try Self.check(reading.plan, changed)
          }
        }
      }
    }
  }

  /// A reshare that is stopped has written the new register, and goes on with shares of the old
  /// one.
  @Test func theExceptionForAnUnknownShareNamesIt() throws {
    let reading = try Self.real(
      #require(AbortTrial.all.first { $0.testDescription == "reshare" }), true)
    let rows = Self.rows(reading)
    let entered = rows[1].indices.filter {
      if case .entry(_, let subject, _) = rows[1][$0] { subject.hasPrefix("share ") } else { false }
    }
    #expect(entered.count == 2)
    for place in entered {
      guard case .entry(let person, let subject, _) = rows[1][place] else { continue }
      var changed = rows
      changed[1][place] = .entry(person: person, subject: subject, value: "0102030405")
      #expect(throws: TranscriptFault.self, "record \(place), \(rows[1][place].text)") {
        try Self.check(reading.plan, changed)
      }
    }
  }

  @Test func whatIsMissingIsNamed() throws {
    let reading = try Self.real(AbortTrial.initialise, false)
    let rows = Self.rows(reading)
    func without(_ isLost: (TranscriptEntry) -> Bool) -> TranscriptFault.Mismatch? {
      do {
        try Self.check(reading.plan, [rows[0].filter { !isLost($0) }])
      } catch TranscriptFault.record(let mismatch) { return mismatch } catch {}
      return nil
    }
    func expect(_ step: Int, _ text: String, _ isLost: (TranscriptEntry) -> Bool) {
      let mismatch = without(isLost)
      #expect(
        mismatch?.step == step && mismatch?.expected.contains(text) == true,
        "\(String(describing: mismatch))")
    }
    expect(0, "bob answers 'your name, or absent'") {
      if case .answer("bob", "your name, or absent", _) = $0 { true } else { false }
    }
    expect(0, "the file's hash was read aloud") {
      if case .answer(_, let prompt, _) = $0 { prompt.hasPrefix("the file's hash") } else { false }
    }
    expect(1, "carol is shown share 2 of 3") {
      if case .sheet("carol", _, _) = $0 { true } else { false }
    }
    expect(1, "dave enters share 3 of 3") {
      if case .entry("dave", _, _) = $0 { true } else { false }
    }
    expect(1, "bob reads back KEK check value") {
      if case .readBack(_, "KEK check value", _) = $0 { true } else { false }
    }
    expect(1, "the output audit.vkey") {
      if case .output("audit.vkey", _) = $0 { true } else { false }
    }
    expect(2, "test of merchant/acme") {
      if case .fact(let subject, _) = $0 { subject.hasPrefix("test of") } else { false }
    }
    expect(2, "the store's key merchant/acme") {
      if case .change(let change) = $0 { change.subject != .kek } else { false }
    }
  }

  /// The administrator who reads back their own value, and a check value that is not the plan's.
  @Test func whoAndWhichValue() throws {
    let trial = AbortTrial.all.first { $0.testDescription == "import-components" }
    let reading = try Self.real(#require(trial), false)
    let rows = Self.rows(reading)
    let alone = rows[0].map { entry -> TranscriptEntry in
      if case .readBack(_, let subject, let value) = entry {
        .readBack(person: "alice", subject: subject, value: value)
      } else {
        entry
      }
    }
    #expect(throws: TranscriptFault.self) { try Self.check(reading.plan, [alone]) }
    let other = try #require(KeyCheckValue(hex: "0102030405")).description
    let otherKey = rows[0].map { entry -> TranscriptEntry in
      switch entry {
      case .fact("check value of data/components", _):
        .fact(subject: "check value of data/components", value: other)
      case .readBack(let person, "check value of data/components", _):
        .readBack(person: person, subject: "check value of data/components", value: other)
      default: entry
      }
    }
    #expect(throws: TranscriptFault.self) { try Self.check(reading.plan, [otherKey]) }
  }

  // Real transcripts, and what is made of them.

  /// Where the step begins that a trial is about.
  private static func ownPart(_ entries: [TranscriptEntry], _ trial: AbortTrial) -> Int {
    guard trial.plan.steps.count > 1, trial.plan.steps[0] == TestPlan.unlock else { return 0 }
    return entries.firstIndex { if case .step(2, _) = $0 { true } else { false } } ?? 0
  }

  private static func real(_ trial: AbortTrial, _ isStopped: Bool) throws -> TranscriptReading {
    let scene = try AbortScene.of(trial)
    let room = try scene.room()
    let desk = scene.desk()
    if isStopped {
      desk.promptLimit = scene.asked.count - 1
      #expect(throws: CeremonyError.desk(.gone)) { try room.run(trial.plan, desk) }
      try scene.goOn(room, desk.paper)
    } else {
      try room.run(trial.plan, desk)
    }
    let verdict = try room.verdict()
    #expect(verdict.outcome == .unwitnessed)
    return verdict.reading
  }

  /// What each sitting says, the checkpoint that was typed from paper being that of the chain that
  /// `check` makes.
  private static func rows(_ reading: TranscriptReading) -> [[TranscriptEntry]] {
    var chain = SHA256.hash([])
    var newest = "none"
    return reading.entries.reduce(into: []) { sittings, moment in
      if case .began = moment.entry { sittings.append([]) }
      let entry: TranscriptEntry =
        switch moment.entry {
        case .answer(let person, let prompt, _) where prompt.contains("checkpoint on your paper"):
          .answer(person: person, prompt: prompt, text: newest)
        case .readBack(let person, "checkpoint on paper", _):
          .readBack(person: person, subject: "checkpoint on paper", value: newest)
        default: moment.entry
        }
      chain = link(chain, entry)
      if case .shown = entry, sittings.count == 1 { newest = PaperMark(chain).digits }
      sittings[sittings.count - 1].append(entry)
    }
  }

  private static func link(_ chain: Digest256, _ entry: TranscriptEntry) -> Digest256 {
    SHA256.hash(chain.bytes + Array(entry.text.utf8))
  }

  /// As `verify` reads it, with the checkpoints that people were shown of these very records.
  private static func check(_ plan: CeremonyPlan, _ sittings: [[TranscriptEntry]]) throws {
    var chain = SHA256.hash([])
    var rows: [[TranscriptReading.Row]] = []
    for entries in sittings {
      var sitting: [TranscriptReading.Row] = []
      for entry in entries {
        chain = link(chain, entry)
        sitting.append(
          (TranscriptReading.Moment(time: Timestamp(seconds: 1_796_119_200), entry: entry), chain))
      }
      rows.append(sitting)
    }
    let reading = try TranscriptReading(plan, rows)
    guard reading.isComplete else { throw TranscriptFault.order(step: reading.stepsDone + 1) }
    try reading.check()
  }

  private typealias Change = (name: String, entries: [TranscriptEntry])

  private static func changes(of entries: [TranscriptEntry], at place: Int) -> [Change] {
    var dropped = entries
    var doubled = entries
    var swapped = entries
    dropped.remove(at: place)
    doubled.insert(entries[place], at: place)
    var changes: [Change] = [("loss", dropped), ("double", doubled)]
    if place + 1 < entries.count, entries[place] != entries[place + 1] {
      swapped.swapAt(place, place + 1)
      changes.append(("swap", swapped))
    }
    for (index, entry) in rewritten(entries[place]).enumerated() {
      var entries = entries
      entries[place] = entry
      changes.append(("rewriting \(index)", entries))
    }
    return changes
  }

  private static func otherSubject(_ subject: StoreSubject) -> StoreSubject {
    subject == .kek ? StoreSubject("key a/b") ?? .kek : .kek
  }

  /// One member after the other, but for words that people choose.
  private static func rewritten(_ entry: TranscriptEntry) -> [TranscriptEntry] {
    let other = "mallory"
    func digest(_ digest: Digest256) -> Digest256 { SHA256.hash(digest.bytes) }
    return switch entry {
    case .began: []
    case .present: [.present(person: other), .absent(person: other)]
    case .absent: [.absent(person: other), .present(person: other)]
    case .step(let number, let kind):
      [.step(number: number + 1, kind: kind), .step(number: number, kind: "drill")]
    case .stepDone(let number): [.stepDone(number: number + 1)]
    case .answer(let person, let prompt, let text):
      [
        .answer(person: other, prompt: prompt, text: text),
        .answer(person: person, prompt: prompt + "?", text: text),
      ]
        + (prompt.hasPrefix("serial number")
          ? [] : [.answer(person: person, prompt: prompt, text: text + "x")])
    case .fact(let subject, let value):
      [.fact(subject: subject + "x", value: value), .fact(subject: subject, value: value + "x")]
    case .readBack(let person, let subject, let value):
      [
        .readBack(person: other, subject: subject, value: value),
        .readBack(person: person, subject: subject + "x", value: value),
        .readBack(person: person, subject: subject, value: value + "x"),
      ]
    case .sheet(let person, let subject, let value):
      [
        .sheet(person: other, subject: subject, value: value),
        .sheet(person: person, subject: subject + "x", value: value),
        .sheet(person: person, subject: subject, value: value + "x"),
      ]
    case .entry(let person, let subject, let value):
      [
        .entry(person: other, subject: subject, value: value),
        .entry(person: person, subject: "x" + subject, value: value),
        .entry(person: person, subject: subject, value: value + "x"),
      ]
    case .output(let name, let sha256): [.output(name: name + "x", digest: sha256)]
    case .exception(_, let text): [.exception(person: other, text: text)]
    case .change(let change):
      [
        .change(
          StoreChange(
            subject: otherSubject(change.subject), value: change.value, inventory: change.inventory)
        ),
        .change(
          StoreChange(
            subject: change.subject, value: change.value + "x", inventory: change.inventory)),
        .change(
          StoreChange(
            subject: change.subject, value: change.value, inventory: digest(change.inventory))),
      ]
    case .inventory(let sha256): [.inventory(digest(sha256))]
    case .shown(let after): [.shown(after == .rollCall ? .stop : .rollCall)]
    case .complete: []
    }
  }
}
