import Audit
import Ceremony
import Crypto
import Host
import KeyStore
import TestSupport
import Testing

@Suite struct RunTests {
  private let room: TestRoom

  init() throws { room = try TestRoom() }

  private static let whole = TestPlan(
    TestPlan.initialise + "\ndice = true\naudit_origin = \"acme/audit\"", TestPlan.merchantKey,
    TestPlan.generate("data/pan", "surrogate", "AES-256"),
    TestPlan.generate("otp/visa", "otp-visa", "TDEA-2", "key_set = \"123456.1\""))

  @Test(arguments: [["bob", "carol"], ["bob", "dave"], ["dave", "carol"]])
  func anyTwoOpenTheNewStore(_ custodians: [String]) throws {
    let desk = try room.run(TestPlan(TestPlan.initialise))
    #expect(
      try room.store(desk.paper, custodians).records.map(\.label.text) == [
        "audit/digest", "audit/signing",
      ])
  }

  /// Who may hand in which share to a locked daemon, and as whom.
  @Test func theStoreKnowsItsCustodians() throws {
    var plan = TestPlan()
    plan.people.replace(
      "name = \"dave\"", with: "name = \"dave\"\nuser = \"d.miller\"".replacing(".", with: "_"))
    let desk = try room.run(plan)
    let register = try LockedKeyStore.open("/state/keys", on: room.disk).custodians()
    let group = try #require(register?.groups.first)
    #expect(register?.groups.count == 1 && group.threshold == 2)
    #expect(
      group.holdings.map(\.holder.name) == ["bob", "carol", "dave"]
        && group.holdings.map(\.holder.user) == ["bob", "carol", "d_miller"])
    for holding in group.holdings {
      #expect(desk.pages[holding.holder.name]?.contains(holding.fingerprint.description) == true)
    }
  }

  private static let offering = TestPlan.initialise + "\nqr = true"

  @Test func aCodeForWhoAsks() throws {
    let desk = ScriptedDesk()
    desk.size = ScreenSize(columns: 65, lines: 40)
    desk.overrides = [
      ("carol: show me share 2 of 3 as a QR code", ["yes"]), ("dave: show me", ["Yes"]),
    ]
    try room.run(TestPlan(Self.offering), desk)
    #expect(
      desk.asked.count { $0.contains("as a QR code, too; the device that scans it may keep it") }
        == 3)
    #expect(Array(desk.codes.keys) == ["carol"])
    let page = try #require(desk.codes["carol"])
    #expect(
      page.hasPrefix(
        "Ceremony acme-2026-1, 2026-12-01\nshare 2 of 3, its words as a QR code\nCustodian carol\n\u{1B}[30;47m"
      ))
    #expect(
      page.count { $0 == "\n" } == 37
        && page.split(separator: "\n").filter { $0.contains("▀") && $0.hasSuffix("\u{1B}[0m") }
          .count > 25
    )
    let entries = try room.verdict().reading.entries.map(\.entry)
    #expect(entries.contains(.fact(subject: "QR code of share 2 of 3", value: "shown to carol")))
    #expect(
      entries.count {
        if case .fact(let subject, _) = $0 { subject.hasPrefix("QR code") } else { false }
      } == 1)
    _ = try room.store(desk.paper)
  }

  @Test(arguments: [(64, 60), (80, 39), (0, 0)]) func aTerminalThatIsTooSmallForACode(
    _ columns: Int, _ lines: Int
  ) throws {
    let desk = ScriptedDesk()
    desk.size = ScreenSize(columns: columns, lines: lines)
    desk.overrides = [("carol: show me", ["yes", "yes", "no"])]
    try room.run(TestPlan(Self.offering), desk)
    #expect(desk.codes.isEmpty && desk.pages.count == 3)
    #expect(
      desk.shown.contains(
        "the code needs 65 columns and 40 lines, and this terminal has \(columns) and \(lines): enlarge it"
      ))
    #expect(
      try !room.verdict().reading.entries.contains {
        if case .fact(let subject, _) = $0.entry { subject.hasPrefix("QR code") } else { false }
      })
  }

  @Test func noCodeIsOfferedThatWasNotPlanned() throws {
    let desk = try room.run(TestPlan())
    #expect(!desk.shown.contains("QR") && !desk.asked.contains("code"))
  }

  @Test func aShareInOneLine() throws {
    let desk = ScriptedDesk()
    desk.scans = true
    desk.overrides = [
      ("bob: word 1 of", ["academic"]),
      ("bob: word 2 of", [String(repeating: "academic ", count: 33)]),
    ]
    try room.run(TestPlan(), desk)
    #expect(desk.shown.contains("  those are more than 33 words; begin again\n"))
    #expect(desk.asked.count { $0.contains(": word ") } == 5)
    _ = try room.store(desk.paper)
  }

  private static let groups = """
    kind = "initialise"
    group_threshold = 2
    [[step.group]]
    threshold = 2
    custodians = ["bob", "carol"]
    [[step.group]]
    threshold = 2
    custodians = ["dave", "erin", "frank"]
    """

  private static var grouped: TestPlan {
    var plan = TestPlan(groups)
    for name in ["erin", "frank"] {
      plan.people += "[[person]]\nname = \"\(name)\"\nroles = [\"custodian\"]\n"
    }
    return plan
  }

  @Test func twoOfEachGroupOpenTheStore() throws {
    let desk = try room.run(Self.grouped)
    #expect(
      desk.pages["erin"]?.contains(
        "share 2 of 3 in group 2, any 2 are enough of group 2, any 2 groups open the store") == true
    )
    _ = try room.store(desk.paper, ["carol", "frank", "bob", "dave"])
    #expect(throws: SharingError.tooFew) { _ = try desk.paper.kek(["dave", "erin", "bob"]) }
    let second = ScriptedDesk(desk.paper)
    second.custodians = ["dave", "erin", "frank", "bob", "carol"]
    var plan = Self.grouped
    plan.steps = [TestPlan.unlock]
    try room.run(plan, second, in: "/second")
    #expect(
      second.shown.contains("there are enough shares of this group") && second.custodians.isEmpty)
  }

  @Test func keysOfEveryKind() throws {
    let keys: [(String, String)] = [
      ("agreement", "P-384"), ("signing-ecdsa", "P-256"), ("signing-rsa", "RSA-2048"),
      ("unwrapping-rsa", "RSA-2048"), ("signing-ed25519", "Ed25519"),
      ("sealing", "AES-256"), ("mac-hmac-sha256", "HMAC-SHA-256"),
      ("mac-hmac-sha512", "HMAC-SHA-512"), ("mac-cmac", "AES-256"),
    ]
    var plan = TestPlan(TestPlan.initialise)
    plan.steps += keys.map { TestPlan.generate($0.0, $0.0, $0.1) }
    let desk = try room.run(plan)
    let records = try room.store(desk.paper).records.filter { !$0.role.isInternal }
    #expect(
      Set(records.map { "\($0.role.rawValue) \($0.algorithm.name)" })
        == Set(keys.map { "\($0.0) \($0.1)" }))
    #expect(records.allSatisfy { $0.state == .active })
  }

  @Test func aWholeCeremony() throws {
    let desk = try room.run(Self.whole)
    let verdict = try room.verdict()
    #expect(verdict.outcome == .unwitnessed && verdict.signers.isEmpty)
    #expect(
      verdict.reading.stepsDone == 4 && verdict.reading.sittings == 1
        && verdict.reading.interrupted == 0)
    #expect(verdict.reading.exceptions.isEmpty)
    #expect(Set(verdict.reading.outputs.keys) == ["audit.vkey", "acme-processing.pem"])
    let merchant = try room.store(desk.paper).records.first {
      $0.label.text == "merchant/acme/processing-2026"
    }
    #expect(merchant?.state == .preActive && merchant?.merchant?.text == "merchant.com.acme")
    let pem = try DurableFile.read(
      "/ceremony/outputs/acme-processing.pem", limit: 4096, on: room.disk)
    #expect(
      String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZI"))
  }

  /// Words reach nothing but the page that a custodian is shown alone.
  @Test func noSecretIsShownToEverybodyOrRecorded() throws {
    let first = room
    let second = try TestRoom()
    let desk = try first.run(Self.whole)
    let other = try second.run(Self.whole)
    let everything = try Self.everything(first, desk)
    let words = Set(desk.paper.values.flatMap { $0 })
    #expect(words.count > 60)
    // Words that are there whatever the shares are say nothing: they are the program's own, or the
    // hash's that is read aloud.
    let leaked = Self.words(everything).intersection(words).subtracting(
      Self.words(try Self.everything(second, other)))
    #expect(leaked.isEmpty, "\(leaked)")
    for words in desk.paper.values { #expect(!everything.contains(words[4] + " " + words[5])) }
    #expect(!everything.contains("123456123456"))
    #expect(Set(desk.pages.keys) == ["bob", "carol", "dave"])
  }

  /// All that everybody was shown, but for the words of checkpoints, which other lists have, too;
  /// and all that stays.
  private static func everything(_ room: TestRoom, _ desk: ScriptedDesk) throws -> String {
    let shown = desk.shown.replacing(/(checkpoint after [^\n]+)\n[^\n]+\n[^\n]+\n/) { "\($0.1)\n" }
    return try room.disk.list("/ceremony/transcript-1").reduce(shown) { text, name in
      text
        + String(
          decoding: try DurableFile.read(
            "/ceremony/transcript-1/" + name, limit: 1 << 22, on: room.disk), as: UTF8.self)
    }
  }

  private static func words(_ text: String) -> Set<String> {
    Set(text.split { !$0.isLetter }.map(String.init))
  }

  @Test func aSheetSaysWhatACustodianNeeds() throws {
    let desk = try room.run(TestPlan(TestPlan.initialise))
    let page = try #require(desk.pages["carol"])
    #expect(
      page.hasPrefix("Ceremony acme-2026-1, 2026-12-01\nshare 2 of 3, any 2 open the store; set "))
    #expect(
      page.contains("Custodian carol\n") && page.contains("\nFingerprint      ")
        && page.contains("\nKEK check value  "))
    #expect(
      page.split(separator: "\n").filter { $0.firstMatch(of: /^ ?[0-9]+\./) != nil }.count == 11)
    #expect(!page.contains("REHEARSAL"))
    #expect(desk.paper["carol"]?.count == 33)
  }

  @Test func aRehearsal() throws {
    let place = StorePlace(parent: "/ceremony", name: "keys")
    let desk = try room.run(Self.whole, rehearsal: place)
    #expect(desk.shown.hasPrefix("REHEARSAL"))
    #expect(desk.pages.values.allSatisfy { $0.hasPrefix("REHEARSAL") })
    #expect(try room.verdict().reading.kind == .rehearsal)
    #expect(throws: KeyStoreError.wrongKind(.rehearsal)) {
      try room.store(desk.paper, at: "/ceremony/keys")
    }
    _ = try room.store(desk.paper, ["bob", "carol"], .rehearsal, at: "/ceremony/keys")
    #expect(
      try room.disk.list("/ceremony/outputs").sorted() == [
        "REHEARSAL-acme-processing.pem", "REHEARSAL-audit.vkey",
      ])
    #expect(throws: KeyStoreError.absent) { try LockedKeyStore.open("/state/keys", on: room.disk) }
  }

  @Test func aSecondCeremonyOnTheStore() throws {
    let first = try room.run(TestPlan(TestPlan.initialise))
    let second = ScriptedDesk(first.paper)
    try room.run(TestPlan(TestPlan.unlock, TestPlan.merchantKey), second, in: "/second")
    #expect(try room.verdict("/second").outcome == .unwitnessed)
    #expect(try room.store(first.paper).records.count == 3)
  }

  // What people do wrong.

  private func refused(
    _ refusal: CeremonyError.Refusal, _ plan: TestPlan = TestPlan(),
    _ overrides: ScriptedDesk.Override...
  ) throws {
    let desk = ScriptedDesk(answering: overrides)
    #expect(throws: CeremonyError.refused(refusal)) { try room.run(plan, desk) }
    #expect(throws: KeyStoreError.absent) { try LockedKeyStore.open("/state/keys", on: room.disk) }
  }

  @Test func slipsAreMendedAndThirdOnesEndIt() throws {
    let desk = ScriptedDesk(answering: [
      ("KEK check value, as", ["0000000000", "nonsense"]), ("carol: word 3 of", ["xyzzy", "!"]),
      ("what happened", ["", "carol had no glasses"]),
      ("dave: word 1 of", ["academic"]), ("alice: your name", ["bob", "Alice", "absent", "ALICE"]),
    ])
    try room.run(TestPlan(), desk)
    #expect(desk.shown.contains("that is not what is shown"))
    #expect(desk.shown.contains("word 3 is not in the list"))
    #expect(desk.shown.contains("the checksum does not hold"))
    let verdict = try room.verdict()
    #expect(
      verdict.reading.exceptions.map(\.entry) == [
        .exception(person: "carol", text: "carol had no glasses")
      ])
    #expect(desk.asked.count { $0.contains("alice: your name") } == 5)
  }

  @Test func aValueReadBackWronglyThreeTimes() throws {
    try refused(.attempts, TestPlan(), ("KEK check value, as", ["1", "2", "3"]))
  }

  @Test func aShareEnteredWronglyThreeTimes() throws {
    try refused(.attempts, TestPlan(), ("bob: word 1 of", ["academic", "academic", "academic"]))
  }

  @Test func somebodyElsesShare() throws {
    let desk = ScriptedDesk()
    // carol types what bob wrote down, the three times she may.
    final class Swapped: CeremonyDesk {
      let desk: ScriptedDesk
      init(_ desk: ScriptedDesk) { self.desk = desk }
      var size: ScreenSize { desk.size }
      func show(_ text: String) { desk.show(text) }
      func ask(_ prompt: String) throws(DeskError) -> String { try desk.ask(prompt) }
      func askSecret(_ prompt: String) throws(DeskError) -> SecretBuffer {
        try desk.askSecret(prompt.replacing("carol: word", with: "bob: word"))
      }
      func showAlone(_ page: Span<UInt8>) throws(DeskError) { try desk.showAlone(page) }
    }
    #expect(throws: CeremonyError.refused(.attempts)) {
      try CeremonyRun.begin(
        TestPlan().decoded(), rehearsal: nil, in: room.directory(), Swapped(desk), room.host)
    }
    #expect(desk.shown.contains("these words are a share, but not this one"))
  }

  @Test func whoDoesNotConfirm() throws {
    try refused(.notConfirmed, TestPlan(), ("I am alone", ["no", "y", "YES"]))
  }

  @Test func whoIsNotThere() throws {
    let desk = ScriptedDesk(answering: [("wendy: your name", ["absent"])])
    try room.run(TestPlan(), desk)
    #expect(try room.verdict().reading.exceptions.map(\.entry) == [.absent(person: "wendy")])
  }

  /// Nobody who is not there is dealt a share, asked for a component, or for one of the shares that
  /// open the store.
  @Test func whoIsAbsentHasNoPart() throws {
    try refused(.needed("carol"), TestPlan(), ("carol: your name", ["absent"]))
    #expect(
      try room.verdict().reading.entries.allSatisfy {
        if case .sheet = $0.entry { false } else { true }
      })
    let made = try TestRoom()
    let paper = try made.run(TestPlan()).paper
    let desk = ScriptedDesk(paper, answering: [("dave: your name", ["absent"])])
    desk.custodians = ["dave", "carol", "bob"]
    try made.run(TestPlan(TestPlan.unlock), desk, in: "/second")
    #expect(
      desk.shown.contains("dave was absent at the roll call")
        && !desk.asked.contains { $0.contains("dave: word") })
    #expect(throws: CeremonyError.refused(.needed("dave"))) {
      try made.run(
        TestPlan(TestPlan.unlock, TestPlan.importing()),
        ScriptedDesk(paper, answering: [("dave: your name", ["absent"])]), in: "/third")
    }
  }

  @Test func whoseStoreAndDirectoryItIs() throws {
    #expect(throws: CeremonyError.refused(.otherOwner("/state"))) {
      try TestRoom(room.disk, foreign: ["/state"]).run(TestPlan())
    }
    #expect(throws: CeremonyError.refused(.exposed("/ceremony"))) {
      try TestRoom(room.disk, exposed: ["/ceremony"]).run(TestPlan())
    }
    #expect(throws: KeyStoreError.absent) { try LockedKeyStore.open("/state/keys", on: room.disk) }
    try room.run(TestPlan(), in: "/second")
    #expect(throws: CeremonyError.refused(.otherOwner("/state/keys"))) {
      try TestRoom(room.disk, foreign: ["/state/keys"]).run(TestPlan(TestPlan.unlock), in: "/third")
    }
    let other = try TestRoom()
    #expect(throws: CeremonyError.refused(.attempts)) {
      try other.run(
        TestPlan(), ScriptedDesk(answering: [("KEK check value, as", ["1", "2", "3"])]))
    }
    for path in ["/ceremony", "/ceremony/transcript-1", "/ceremony/outputs"] {
      #expect(throws: CeremonyError.refused(.exposed(path))) {
        try TestRoom(other.disk, exposed: [path]).resume(ScriptedDesk())
      }
    }
  }

  @Test func tooFewDice() throws {
    try refused(
      .attempts, TestPlan(TestPlan.initialise + "\ndice = true"),
      ("faces", ["123456", String(repeating: "7", count: 100), ""]))
  }

  /// The log of a store that was there before begins with nothing new.
  @Test func aGenesisIsShownForANewStoreAlone() throws {
    let first = try room.run(TestPlan())
    #expect(first.shown.contains("Genesis of the store's audit log"))
    let second = ScriptedDesk(first.paper)
    try room.run(TestPlan(TestPlan.unlock), second, in: "/second")
    #expect(
      second.shown.contains("Checkpoint  /second/checkpoint") && !second.shown.contains("Genesis"))
  }

  @Test func nothingStandsInTheWay() throws {
    try room.run(TestPlan())
    #expect(throws: CeremonyError.refused(.storePresent)) {
      try room.run(TestPlan(), in: "/second")
    }
    #expect(throws: CeremonyError.refused(.directoryPresent)) {
      try room.run(TestPlan(TestPlan.unlock), in: "/ceremony")
    }
    #expect(throws: DiskError.self) { try room.disk.list("/second") }
    try room.disk.makeDirectory("/other", mode: 0o700)
    var elsewhere = TestPlan(TestPlan.unlock)
    elsewhere.head.replace("/state/keys", with: "/other/keys")
    #expect(throws: CeremonyError.refused(.storeAbsent)) { try room.run(elsewhere, in: "/second") }
  }

  /// Then it begins again in its directory; once there is a record, it is resumed.
  @Test func itIsKilledBeforeItsFirstRecord() throws {
    var begun = 0
    for call in 0..<200 {
      let room = try TestRoom()
      room.disk.fail(call: call, .doneButError, errno: 5)
      // Some calls may fail.
      guard (try? room.run(TestPlan())) == nil else { continue }
      let after = try TestRoom(room.disk.afterCrash(.allCases[call % 4]))
      do { try after.run(TestPlan()) } catch CeremonyError.refused(.directoryPresent) {
        #expect(try TranscriptReading(after.directory()).hasBegun, "call \(call)")
        break
      }
      #expect(try after.verdict().outcome == .unwitnessed, "call \(call)")
      begun += 1
    }
    #expect((10..<200).contains(begun))
  }

  @Test func aLabelThatIsTaken() throws {
    let first = try room.run(TestPlan(TestPlan.initialise, TestPlan.merchantKey))
    let second = ScriptedDesk(first.paper)
    #expect(throws: CeremonyError.refused(.labelTaken)) {
      try room.run(TestPlan(TestPlan.unlock, TestPlan.merchantKey), second, in: "/second")
    }
  }

  @Test func sharesThatDoNotOpenTheStore() throws {
    let first = try room.run(TestPlan())
    let other = try TestRoom().run(TestPlan())
    let desk = ScriptedDesk(other.paper)
    #expect(throws: CeremonyError.keyStore(.wrongKEK)) {
      try room.run(TestPlan(TestPlan.unlock), desk, in: "/second")
    }
    let mixed = ScriptedDesk(first.paper)
    mixed.paper["dave"] = other.paper["dave"]
    mixed.custodians = ["carol", "erin", "carol", "dave", "bob"]
    try room.run(TestPlan(TestPlan.unlock), mixed, in: "/third")
    let lent = ScriptedDesk(first.paper)
    lent.paper["dave"] = first.paper["bob"]
    lent.custodians = ["dave", "carol", "bob"]
    try room.run(TestPlan(TestPlan.unlock), lent, in: "/fourth")
    #expect(lent.shown.contains("this is the share of bob") && lent.custodians.isEmpty)
    for text in ["no custodian of that name", "carol has entered a share already"] {
      #expect(mixed.shown.contains(text), "\(text)")
    }
    #expect(
      try exceptions("/third").contains(
        "the share of dave is of another set than the one that gives the KEK"))
  }

  /// Whose share is foreign is named, and not those whose shares are right, whoever came first.
  @Test func aForeignShareThatComesFirst() throws {
    let first = try room.run(TestPlan())
    let desk = ScriptedDesk(first.paper)
    desk.paper["dave"] = try TestRoom().run(TestPlan()).paper["dave"]
    desk.custodians = ["dave", "carol", "bob"]
    try room.run(TestPlan(TestPlan.unlock), desk, in: "/second")
    let said = try exceptions("/second")
    #expect(said.contains("the share of dave is of another set than the one that gives the KEK"))
    #expect(
      said.contains {
        $0.hasPrefix("the share ") && $0.hasSuffix(" is not on the store's register")
      })
    #expect(!said.contains { $0.contains("carol") || $0.contains("bob") })
  }

  /// A reshare asks whose share it is, as unlocking does.
  @Test func aLentShareAtAReshare() throws {
    let first = try room.run(TestPlan())
    let desk = ScriptedDesk(first.paper)
    desk.overrides = [("dave: word 1 of", [first.paper["bob"]?.joined(separator: " ") ?? ""])]
    desk.custodians = ["carol", "bob", "dave", "carol", "bob"]
    try room.run(TestPlan(TestPlan.unlock, TestPlan.resharing), desk, in: "/second")
    #expect(desk.shown.contains("this is the share of bob"))
    _ = try room.store(desk.paper, ["dave", "bob"])
  }

  /// What the daemon's log is told of a ceremony is in the manifest, under the step's name, with
  /// who answers for it.
  @Test func changesAreNotedForTheDaemonsLog() throws {
    let first = try room.run(TestPlan(TestPlan.initialise, TestPlan.merchantKey))
    let made = try room.store(first.paper).unrecorded
    #expect(made.map { $0.ceremony?.step } == ["generate"])
    let desk = ScriptedDesk(first.paper)
    desk.custodians = ["carol", "dave", "carol", "dave"]
    try room.run(
      TestPlan(TestPlan.unlock, TestPlan.destroying, TestPlan.resharing), desk, in: "/second")
    let store = try room.store(desk.paper, ["dave", "bob"])
    let key = try #require(store.records.first { $0.role.isMerchant })
    #expect(
      store.unrecorded.map(\.kind) == [
        .generated(key.id), .entered(.destroyed, key.id), .reshared(2),
      ])
    let people = try TestPlan().decoded().people
    #expect(
      store.unrecorded.allSatisfy {
        $0.ceremony?.people == [people.administrator.name, people.reader.name]
      })
  }

  private func exceptions(_ path: String) throws -> [String] {
    try room.verdict(path).reading.exceptions.compactMap {
      if case .exception(_, let text) = $0.entry { text } else { nil }
    }
  }

  @Test func aMachineThatIsNotAsItShouldBe() throws {
    let conditions: [HostCondition] = [
      .swap, .coreDumps, .route(interface: "eth0"), .unknown, .policy,
    ]
    let open = try TestRoom(conditions: conditions)
    let refusing = ScriptedDesk(answering: [("accept this", ["accept", "yes"])])
    #expect(throws: CeremonyError.refused(.conditions)) { try open.run(TestPlan(), refusing) }
    #expect(throws: KeyStoreError.absent) { try LockedKeyStore.open("/state/keys", on: open.disk) }
    let accepting = try open.run(TestPlan(), in: "/second")
    #expect(
      try open.verdict("/second").reading.exceptions.map(\.entry)
        == conditions.map { .exception(person: "alice", text: $0.text) })
    #expect(accepting.shown.contains("eth0 is up"))
  }

  @Test(arguments: ["2026-11-29", "2026-12-03", "2025-12-01"]) func anotherDay(_ day: String) throws
  {
    var plan = TestPlan()
    plan.head.replace("2026-12-01", with: day)
    try refused(.conditions, plan, ("accept this", ["no"]))
  }

  @Test(arguments: ["2026-11-30", "2026-12-01"]) func theDayBeforeIsTodaySomewhere(_ day: String)
    throws
  {
    var plan = TestPlan()
    plan.head.replace("2026-12-01", with: day)
    try room.run(plan)
    #expect(try room.verdict().reading.exceptions.isEmpty)
  }

  @Test func anotherProgram() throws {
    var plan = TestPlan()
    plan.head.replace("abab", with: "abac")
    try refused(.conditions, plan, ("accept this", ["no"]))
  }

  /// A library counts as the program does, at each sitting, and is named: another one, one more, or
  /// one that should be there.
  @Test(arguments: [
    ([("/usr/bin/kist", "ab"), ("/usr/lib/libc.so.6", "ce")], "/usr/lib/libc.so.6 is another: ce"),
    (
      [("/tmp/spy.so", "ab"), ("/usr/bin/kist", "ab"), ("/usr/lib/libc.so.6", "cd")],
      "/tmp/spy.so is not in the file"
    ),
    ([("/usr/bin/kist", "ab")], "/usr/lib/libc.so.6 is not loaded"),
  ]) func anotherLibrary(_ software: [(String, String)], _ told: String) throws {
    let desk = ScriptedDesk(answering: [("accept this", ["no"])])
    #expect(throws: CeremonyError.refused(.conditions)) {
      try TestRoom(software: software).run(TestPlan(), desk)
    }
    #expect(
      desk.shown.contains(
        "NOT AS IT SHOULD BE: what is loaded into this program is not what the file has: " + told),
      "\(desk.shown)")
    // Of the second sitting, and on the record where it is accepted.
    let first = try TestRoom()
    let stopped = ScriptedDesk(answering: [
      ("dave: word 1 of", ["academic", "academic", "academic"])
    ])
    #expect(throws: CeremonyError.refused(.attempts)) { try first.run(TestPlan(), stopped) }
    let room = try TestRoom(first.disk.afterCrash(.keepsUnsynced), software: software)
    try room.resume(ScriptedDesk())
    let reading = try room.verdict().reading
    #expect(reading.exceptions.contains { $0.entry.text.contains(told) })
    for (path, digest) in software {
      #expect(reading.entries.contains { $0.entry.text.contains("SHA-256 of \(path): \(digest)") })
    }
  }
}

extension UnrecordedChange {
  fileprivate var ceremony: CeremonyReference? {
    if case .ceremony(let ceremony) = origin { ceremony } else { nil }
  }
}
