import Ceremony
import Crypto
import Format
import Foundation
import Host
import KeyStore
import TestSupport
import Testing

/// A ceremony of each kind of step, to be stopped everywhere.
struct AbortTrial: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let plan: TestPlan
  /// The label of the key that is gone when it is over.
  var destroys: String?

  static let initialise = AbortTrial(
    testDescription: "initialise",
    plan: TestPlan(
      TestPlan.initialise + "\ndice = true\naudit_origin = \"acme/audit\"", TestPlan.merchantKey))

  static let all: [AbortTrial] = [
    initialise,
    AbortTrial(testDescription: "unlock", plan: TestPlan(TestPlan.unlock)),
    step(TestPlan.generate("data/signing", "signing-ecdsa", "P-256", "public = \"signing.pem\"")),
    step(TestPlan.importing().replacing("data/exchanged", with: "data/components")),
    step(
      TestPlan.importing(file: fixture("rsa-pkcs1.pem"), role: "signing-rsa").replacing(
        "data/signing", with: "data/file")),
    step(TestPlan.importing(block: AbortScene.block)),
    step(TestPlan.exporting()),
    step(TestPlan.requesting),
    step(TestPlan.attaching(fixture("merchant.pem"), label: "merchant/acme/certified")),
    step(TestPlan.destroying, destroys: "merchant/acme/processing-2026"),
    step(TestPlan.resharing),
    step(TestPlan.rotating),
    step(TestPlan.backingUp),
  ]

  private static func step(_ step: String, destroys: String? = nil) -> AbortTrial {
    let kind = step.firstMatch(of: /kind = "([a-z-]+)"/).map { String($0.1) } ?? step
    return AbortTrial(
      testDescription: kind, plan: TestPlan(TestPlan.unlock, step), destroys: destroys)
  }

  static func fixture(_ name: String) -> [UInt8] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    return (try? Data(contentsOf: tests.appendingPathComponent("CLITests/Fixtures/" + name))).map {
      Array($0)
    } ?? []
  }
}

/// A machine before such a ceremony, and what the whole of it comes to.
struct AbortScene {
  private let trial: AbortTrial
  private let start: SimulatedDisk
  private let paper: Paper
  private let before: [KeyRecord]
  private let after: [KeyLabel]
  /// What the whole ceremony asks, but for the signature at its end.
  let asked: [String]
  /// Where the store is open, or the first prompt of a ceremony that has only that.
  let firstPrompt: Int
  let calls: Range<Int>
  /// How many calls there had been at each prompt.
  private let callsAtPrompts: [Int]

  /// Under the key that the components give; its padding is random, so it is made once.
  static let block: [UInt8] = {
    let digits = TestPlan.components.values.compactMap { Hex.decode($0.digits.lowercased()) }
    let kbpk = zip(digits[0], digits[1]).map { $0 ^ $1 }
    let key = [UInt8](repeating: 7, count: 32)
    guard TestArena.ready,
      let header = try? KeyBlockHeader(
        usage: .dataEncryption, algorithm: .aes, mode: .encryptDecrypt, exportability: .exportable)
    else {
      return []
    }
    return (try? KeyBlock.wrap(key: key.span, header: header, kbpk: kbpk.span)) ?? []
  }()

  private static let empty = Result { (disk: try TestRoom().disk, paper: Paper()) }

  /// With a key of each kind that the steps need, and what is brought on a medium.
  private static let store = Result { () throws -> (disk: SimulatedDisk, paper: Paper) in
    let room = try TestRoom()
    for (name, file) in [
      ("key", AbortTrial.fixture("ec-pbes2.pem")), ("block", block),
      ("certificate", AbortTrial.fixture("merchant.pem")),
    ] { room.disk.plant("/media/" + name, file) }
    let certified =
      TestPlan.importing(file: AbortTrial.fixture("ec-pbes2.pem"), role: "merchant-processing-ec")
      .replacing("data/signing", with: "merchant/acme/certified")
      + "\nmerchant = \"merchant.com.acme\"\npre_active = true"
    let plan = TestPlan(
      TestPlan.initialise, TestPlan.merchantKey, certified,
      TestPlan.importing(role: "key-exchange"),
      TestPlan.generate("data/out", "sealing", "AES-256", "exportable = true"))
    let desk = Self.desk([:])
    try room.run(plan, desk, in: "/first")
    room.disk.plant("/media/key", AbortTrial.fixture("rsa-pkcs1.pem"))
    return (disk: room.disk.afterCrash(.keepsUnsynced), paper: desk.paper)
  }

  static func of(_ trial: AbortTrial) throws -> AbortScene {
    try #require(TestArena.ready)
    return try AbortScene(trial, on: trial.plan.steps[0] == TestPlan.unlock ? store : empty)
  }

  private init(_ trial: AbortTrial, on made: Result<(disk: SimulatedDisk, paper: Paper), any Error>)
    throws
  {
    self.trial = trial
    start = try made.get().disk
    paper = try made.get().paper
    let room = try TestRoom(start.afterCrash(.keepsUnsynced))
    let desk = Self.desk(paper)
    var counts: [Int] = []
    desk.onPrompt = { counts.append(room.disk.changingCalls) }
    before = paper.isEmpty ? [] : try room.store(paper).records
    let first = room.disk.changingCalls
    try room.run(trial.plan, desk)
    calls = first..<room.disk.changingCalls
    asked = Array(desk.asked.dropLast())
    callsAtPrompts = Array(counts.dropLast())
    firstPrompt =
      trial.plan.steps.count == 1 || paper.isEmpty
      ? 0 : (desk.asked.firstIndex { $0.contains("KEK check value, as") } ?? 0)
    after = try Self.open(room, [paper, desk.paper]).records.map(\.label)
  }

  func room() throws -> TestRoom { try TestRoom(start.afterCrash(.keepsUnsynced)) }

  func desk() -> ScriptedDesk { Self.desk(paper) }

  private static func desk(_ paper: Paper) -> ScriptedDesk {
    let desk = ScriptedDesk(paper, answering: [("carol: passphrase of /media/key", ["correct"])])
    desk.components = TestPlan.components
    desk.custodians = ["carol", "dave", "carol", "dave"]
    desk.scans = !LongForm.isOn
    return desk
  }

  /// Whether a call is a step's own, or at its border: most others put a prompt and its answer on
  /// the record.
  ///
  /// A record is four calls; what comes between two prompts beyond that is something else.
  func isOfStep(_ call: Int) -> Bool {
    guard call >= callsAtPrompts[firstPrompt] else { return false }
    guard let next = callsAtPrompts.firstIndex(where: { $0 > call }) else { return true }
    let last = next == 0 ? calls.lowerBound : callsAtPrompts[next - 1]
    return callsAtPrompts[next] - last > 12 || paper.isEmpty && call.isMultiple(of: 11)
  }

  /// Every key that was there is there, the transcript says no more than was done, and the ceremony
  /// can go on to its end.
  ///
  /// - Parameter new: what custodians have on paper now.
  func check(_ room: TestRoom, _ new: Paper, isPartial: Bool, goesOn: Bool = true, _ place: String)
    throws
  {
    let names = Comment(rawValue: "\(trial.testDescription): \(place)")
    if !before.isEmpty { try expectOldKeys(room, new, names) }
    let verdict: CeremonyVerdict
    do { verdict = try room.verdict() } catch TranscriptFault.unreadable, TranscriptFault.sitting(1)
    {
      #expect(!isPartial, names)
      return
    }
    #expect(verdict.outcome == .partial || !isPartial && verdict.outcome == .unwitnessed, names)
    guard goesOn, verdict.reading.hasBegun else { return }
    let desk = try goOn(room, new)
    #expect(try room.verdict().outcome == .unwitnessed, names)
    #expect(try Self.open(room, [paper, new, desk.paper]).records.map(\.label) == after, names)
  }

  /// Holds the ceremony to its end.
  ///
  /// - Parameter new: what custodians have on paper now.
  @discardableResult func goOn(_ room: TestRoom, _ new: Paper) throws -> ScriptedDesk {
    let desk = Self.desk(try Self.opening(room, [paper, new]))
    try room.resume(desk)
    return desk
  }

  private func expectOldKeys(_ room: TestRoom, _ new: Paper, _ names: Comment) throws {
    let store = try Self.open(room, [paper, new])
    for old in before {
      let found = store.record(labelled: old.label)
      #expect(found?.check == old.check, names)
      #expect(
        found?.state == old.state
          || old.label.text == trial.destroys
            && (found?.state == .retired || found?.state == .destroyed),
        names)
    }
  }

  private static func open(_ room: TestRoom, _ papers: [Paper]) throws -> KeyStore {
    try room.store(opening(room, papers))
  }

  /// The sheets that the store, where there is one, opens with now.
  private static func opening(_ room: TestRoom, _ papers: [Paper]) throws -> Paper {
    guard let wanted = try? LockedKeyStore.open("/state/keys", on: room.disk).claimedKEK else {
      return [:]
    }
    return try #require(
      papers.first { paper in
        guard paper["carol"] != nil, paper["dave"] != nil,
          let kek = try? paper.kek(["carol", "dave"]), let check = try? KeyCheckValue.aes(kek.bytes)
        else {
          return false
        }
        return check == wanted
      })
  }
}
