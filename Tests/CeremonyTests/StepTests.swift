import Ceremony
import Configuration
import Crypto
import Foundation
import Host
import KeyStore
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

  private func desk(_ overrides: ScriptedDesk.Override...) -> ScriptedDesk {
    ScriptedDesk(paper, answering: overrides)
  }

  private func importing(_ kcv: String = "1CF741727C", _ overrides: ScriptedDesk.Override...) throws
    -> ScriptedDesk
  {
    let desk = ScriptedDesk(paper, answering: overrides)
    desk.components = TestPlan.components
    try room.run(TestPlan(TestPlan.unlock, TestPlan.importing(kcv)), desk, in: "/second")
    return desk
  }

  @Test func componentsOfAKey() throws {
    let desk = try importing()
    let record = try room.store(paper).records.first { $0.label.text == "data/exchanged" }
    #expect(record?.algorithm.name == "AES-256" && record?.state == .active)
    for component in TestPlan.components.values {
      #expect(!desk.shown.lowercased().contains(component.digits.lowercased()))
    }
    #expect(try room.verdict("/second").reading.stepsDone == 2)
  }

  @Test func slipsWithComponents() throws {
    let desk = try importing(
      "1CF741727C", ("carol: component 1", ["00", "nonsense"]),
      ("carol: check value", ["377822", "377822"]), ("dave: check value", ["000000", "12345"]))
    for text in ["not as long as the key", "not hexadecimal", "the check value differs", "6 or 10"]
    { #expect(desk.shown.contains(text), "\(text)") }
  }

  @Test func componentsOfAnotherKey() throws {
    #expect(throws: CeremonyError.component(.combinedCheckValue)) { try importing("0000000000") }
    #expect(try room.store(paper).records.count == 3)
    #expect(try room.verdict("/second").outcome == .partial)
  }

  @Test(arguments: ["signing-ecdsa", "mac-hmac-sha256"]) func rolesWithoutComponents(_ role: String)
    throws
  {
    #expect(throws: ConfigurationError.self) {
      try TestPlan(TestPlan.unlock, TestPlan.importing(role: role)).decoded()
    }
  }

  @Test func theSamePersonNeverHoldsTwoComponents() throws {
    let plan = TestPlan(
      TestPlan.unlock,
      TestPlan.importing().replacing("[\"carol\", \"dave\"]", with: "[\"carol\", \"carol\"]"))
    #expect(throws: ConfigurationError.self) { try plan.decoded() }
  }

  @Test func aRehearsalHasComponentsOfItsOwn() throws {
    let place = StorePlace(parent: "/rehearsal", name: "keys")
    let first = try room.run(TestPlan(), rehearsal: place, in: "/rehearsal")
    for (index, (role, extra)) in [("sealing", ""), ("otp-visa", "\nkey_set = \"123456.1\"")]
      .enumerated()
    {
      let desk = ScriptedDesk(first.paper)
      let plan = TestPlan(
        TestPlan.unlock,
        TestPlan.importing(role: role).replacing("data/exchanged", with: "data/exchanged-\(index)")
          + extra)
      try room.run(plan, desk, rehearsal: place, in: "/rehearsal-\(index)")
      #expect(
        desk.pages["dave"]?.hasPrefix(
          "REHEARSAL: this component is of no key\n\nComponent 2 of 2 of data/exchanged-\(index)\n")
          == true)
      #expect(try room.verdict("/rehearsal-\(index)").outcome == .rehearsed)
    }
  }

  @Test func aRequestForACertificate() throws {
    try room.run(TestPlan(TestPlan.unlock, TestPlan.requesting), desk(), in: "/second")
    let pem = String(
      decoding: try DurableFile.read("/second/outputs/acme.csr", limit: 4096, on: room.disk),
      as: UTF8.self)
    #expect(pem.hasPrefix("-----BEGIN CERTIFICATE REQUEST-----\nMII"))
    #expect(try room.verdict("/second").reading.outputs.keys.sorted() == ["acme.csr"])
  }

  @Test func noRequestForAKeyThatIsNotThereOrNotCertified() throws {
    let absent = TestPlan.requesting.replacing("2026", with: "2027")
    #expect(throws: CeremonyError.refused(.keyAbsent)) {
      try room.run(TestPlan(TestPlan.unlock, absent), desk(), in: "/second")
    }
    let audit = TestPlan.requesting.replacing(
      "merchant/acme/processing-2026", with: "audit/signing")
    #expect(throws: CeremonyError.keyStore(.requestRefused)) {
      try room.run(TestPlan(TestPlan.unlock, audit), desk(), in: "/third")
    }
    try room.run(TestPlan(TestPlan.unlock, TestPlan.destroying), desk(), in: "/fourth")
    #expect(throws: CeremonyError.refused(.keyAbsent)) {
      try room.run(TestPlan(TestPlan.unlock, TestPlan.requesting), desk(), in: "/fifth")
    }
  }

  private static func fixture(_ name: String) throws -> [UInt8] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    return Array(try Data(contentsOf: tests.appendingPathComponent("CLITests/Fixtures/" + name)))
  }

  // PKCS #8 under PBES2, P-256; its passphrase is "correct".
  private static var keyFile: [UInt8] { get throws { try fixture("ec-pbes2.pem") } }

  // Certificates: of the key in that file, unless they are named otherwise.

  private static let certified = "merchant/acme/certified"

  /// Brings that key as a merchant's, and plants a certificate.
  private func certified(_ certificate: [UInt8]) throws {
    let file = try Self.keyFile
    room.disk.plant("/media/key", file)
    room.disk.plant("/media/certificate", certificate)
    let key =
      TestPlan.importing(file: file, role: "merchant-processing-ec").replacing(
        "data/signing", with: Self.certified)
      + "\nmerchant = \"merchant.com.acme\"\npre_active = true"
    try room.run(
      TestPlan(TestPlan.unlock, key), desk(("carol: passphrase of /media/key", ["correct"])),
      in: "/key")
  }

  private func attach(
    _ certificate: [UInt8], planned: [UInt8]? = nil, label: String = certified,
    in path: String = "/second"
  ) throws {
    try room.run(
      TestPlan(TestPlan.unlock, TestPlan.attaching(planned ?? certificate, label: label)), desk(),
      in: path)
  }

  @Test(arguments: ["merchant.pem", "DER"]) func aCertificateComesToItsKey(_ name: String) throws {
    let pem = try Self.fixture("merchant.pem")
    let certificate = try #require(
      try PrivateKeyFile.decode(pem.span, passphrase: nil).certificates.first)
    let file = name == "DER" ? certificate.der : pem
    try certified(file)
    try attach(file)
    let record = try room.store(paper).record(labelled: #require(KeyLabel(Self.certified)))
    #expect(
      record?.certificate?.digest == SHA256.hash(certificate.der)
        && record?.notAfter == certificate.notAfter && record?.state == .preActive)
    #expect(try room.verdict("/second").outcome == .unwitnessed)
    // The one that the key has is refused; what a wrong one did, another undoes.
    #expect(throws: CeremonyError.keyStore(.importRefused(.certificatePresent))) {
      try attach(file, in: "/third")
    }
  }

  @Test(arguments: [
    ("merchant-of-other-key.pem", ImportRefusal.certificateKey),
    ("merchant-of-other-hash.pem", .merchantExtension),
    ("merchant-without-uid.pem", .merchantExtension),
  ]) func certificatesThatAreNotTheKeys(_ name: String, _ refusal: ImportRefusal) throws {
    let file = try Self.fixture(name)
    try certified(file)
    #expect(throws: CeremonyError.keyStore(.importRefused(refusal))) { try attach(file) }
    #expect(
      try room.store(paper).record(labelled: #require(KeyLabel(Self.certified)))?.certificate == nil
    )
    #expect(try room.verdict("/second").outcome == .partial)
  }

  @Test func filesThatAreNoCertificate() throws {
    let good = try Self.fixture("merchant.pem")
    try certified(good)
    #expect(throws: CeremonyError.refused(.otherFile)) {
      try attach(good, planned: good + [0x0A], in: "/1")
    }
    for (index, file) in [good + good, try Self.fixture("ec-pkcs8.pem")].enumerated() {
      room.disk.plant("/media/certificate", file)
      #expect(throws: CeremonyError.refused(.notOneCertificate)) {
        try attach(file, in: "/2-\(index)")
      }
    }
    room.disk.plant("/media/certificate", Array("a letter".utf8))
    #expect(throws: CeremonyError.keyFile(.notAKeyFile)) {
      try attach(Array("a letter".utf8), in: "/3")
    }
    #expect(throws: CeremonyError.refused(.keyAbsent)) {
      try attach(good, label: "merchant/acme/none", in: "/4")
    }
  }

  @Test func aRehearsalMakesACertificateOfItsOwn() throws {
    let place = StorePlace(parent: "/rehearsal", name: "keys")
    let first = try room.run(
      TestPlan(TestPlan.initialise, TestPlan.merchantKey), rehearsal: place, in: "/rehearsal")
    let desk = ScriptedDesk(first.paper)
    try room.run(
      TestPlan(TestPlan.unlock, TestPlan.attaching([])), desk, rehearsal: place, in: "/rehearsal-2")
    #expect(desk.shown.contains("a test certificate stands in for the one in the file"))
    #expect(try room.verdict("/rehearsal-2").outcome == .rehearsed)
  }

  private func importing(
    _ file: [UInt8], planned: [UInt8]? = nil, role: String = "signing-ecdsa",
    _ passphrases: String...
  ) throws -> ScriptedDesk {
    room.disk.plant("/media/key", file)
    let desk = desk(("carol: passphrase of /media/key", passphrases))
    try room.run(
      TestPlan(TestPlan.unlock, TestPlan.importing(file: planned ?? file, role: role)), desk,
      in: "/second")
    return desk
  }

  @Test func aKeyFile() throws {
    let desk = try importing(try Self.keyFile, "wrong", "", "correct")
    #expect(desk.shown.contains("the passphrase is wrong") && !desk.shown.contains("correct"))
    let record = try room.store(paper).records.first { $0.label.text == "data/signing" }
    #expect(record?.algorithm.name == "P-256" && record?.state == .active)
  }

  @Test func keyFilesThatAreRefused() throws {
    let file = try Self.keyFile
    #expect(throws: CeremonyError.refused(.otherFile)) {
      try importing(file, planned: file + [0x0A], "correct")
    }
  }

  @Test func aKeyFileForAnotherRole() throws {
    let file = try Self.keyFile
    #expect(throws: CeremonyError.keyFile(.invalidKey)) {
      try importing(file, role: "signing-rsa", "correct")
    }
    #expect(try room.store(paper).records.count == 3)
  }

  @Test func aPassphraseThatIsWrongThreeTimes() throws {
    let file = try Self.keyFile
    #expect(throws: CeremonyError.refused(.attempts)) { try importing(file, "a", "b", "c") }
  }

  @Test func noKeyFile() throws {
    #expect(throws: CeremonyError.keyFile(.notAKeyFile)) {
      try importing(Array("a letter".utf8), "correct")
    }
  }

  @Test func aRehearsalLeavesTheFileAlone() throws {
    let place = StorePlace(parent: "/rehearsal", name: "keys")
    let plan = TestPlan(TestPlan.initialise, TestPlan.importing(file: []))
    let desk = try room.run(plan, rehearsal: place, in: "/rehearsal")
    #expect(desk.shown.contains("a new key stands in for the one in the file"))
  }

  /// An exchange key, and a block under it.
  private func exported(_ more: String = "exportable = true") throws -> [UInt8] {
    let desk = desk()
    desk.components = TestPlan.components
    let plan = TestPlan(
      TestPlan.unlock, TestPlan.importing(role: "key-exchange"),
      TestPlan.generate("data/out", "sealing", "AES-256", more), TestPlan.exporting())
    try room.run(plan, desk, in: "/export")
    let block = try DurableFile.read("/export/outputs/out.kb", limit: 9999, on: room.disk)
    room.disk.plant("/media/block", block)
    return block
  }

  @Test func aKeyBlockOutAndIn() throws {
    let block = try exported()
    #expect(String(decoding: block, as: UTF8.self).hasPrefix("D0"))
    try room.run(TestPlan(TestPlan.unlock, TestPlan.importing(block: block)), desk(), in: "/second")
    let records = try room.store(paper).records
    let out = records.first { $0.label.text == "data/out" }
    let back = records.first { $0.label.text == "data/in" }
    #expect(
      out != nil && out?.check == back?.check && out?.isExportable == true
        && back?.isExportable == false)
  }

  /// Whoever has the exchange key has the key: it is the planned one, and people see so.
  @Test func theExchangeKeyIsReadBack() throws {
    _ = try exported()
    let other = TestPlan.exporting().replacing(TestPlan.exchangeCheck, with: "000000")
    #expect(throws: CeremonyError.refused(.otherExchangeKey)) {
      try room.run(TestPlan(TestPlan.unlock, other), desk(), in: "/second")
    }
    #expect(room.disk.contents("/second/outputs/out.kb") == nil)
    let asked = try room.run(TestPlan(TestPlan.unlock, TestPlan.exporting()), desk(), in: "/third")
      .asked
    #expect(asked.contains { $0.contains("check value of data/exchanged, as") })
    #expect(
      try room.verdict("/third").reading.entries.contains {
        if case .readBack(_, "check value of data/exchanged", "1CF741 727C") = $0.entry {
          true
        } else {
          false
        }
      })
    #expect(throws: ConfigurationError.self) {
      try TestPlan(TestPlan.unlock, TestPlan.exporting().replacing("under_kcv", with: "other_kcv"))
        .decoded()
    }
  }

  @Test func keysThatMayNotLeave() throws {
    #expect(throws: CeremonyError.keyStore(.exportRefused)) { try exported("") }
    #expect(throws: CeremonyError.refused(.otherExchangeKey)) {
      try room.run(
        TestPlan(TestPlan.unlock, TestPlan.exporting(under: "data/out")), desk(), in: "/second")
    }
    #expect(throws: CeremonyError.refused(.keyAbsent)) {
      try room.run(TestPlan(TestPlan.unlock, TestPlan.exporting("data/none")), desk(), in: "/third")
    }
    #expect(throws: CeremonyError.keyStore(.unknownKey)) {
      try room.run(
        TestPlan(TestPlan.unlock, TestPlan.exporting(under: "data/none")), desk(), in: "/fourth")
    }
  }

  @Test func keyBlocksThatAreRefused() throws {
    let block = try exported()
    func importing(_ step: String, _ error: CeremonyError, _ place: String) {
      #expect(throws: error) { try room.run(TestPlan(TestPlan.unlock, step), desk(), in: place) }
    }
    importing(TestPlan.importing(block: block + [0x0A]), .refused(.otherFile), "/1")
    importing(
      TestPlan.importing(block: block, role: "mac-cmac"), .keyStore(.importRefused(.blockUse)), "/2"
    )
    importing(TestPlan.importing(block: block, under: "data/none"), .keyStore(.unknownKey), "/3")
    importing(
      TestPlan.importing(block: block, under: "data/out"), .refused(.otherExchangeKey), "/4")
    importing(
      TestPlan.importing(block: block, "exportable = true"),
      .keyStore(.importRefused(.exportability)), "/5")
    var changed = block
    changed[40] = changed[40] == 0x30 ? 0x31 : 0x30
    room.disk.plant("/media/block", changed)
    importing(
      TestPlan.importing(block: changed, "versions = [\"A\", \"B\"]"),
      .keyStore(.importRefused(.block)), "/6")
    #expect(try room.store(paper).record(labelled: #require(KeyLabel("data/in"))) == nil)
  }

  @Test func aKeyIsDestroyed() throws {
    try room.run(TestPlan(TestPlan.unlock, TestPlan.destroying), desk(), in: "/second")
    let record = try room.store(paper).records.first {
      $0.label.text == "merchant/acme/processing-2026"
    }
    #expect(record?.state == .destroyed)
    #expect(throws: CeremonyError.refused(.keyAbsent)) {
      try room.run(TestPlan(TestPlan.unlock, TestPlan.destroying), desk(), in: "/third")
    }
  }

  /// SP 800-57 part 1 §8.3.4: what others may know is destroyed as soon as nothing needs it.
  @Test func aCompromisedKeyIsDestroyed() throws {
    let label = try #require(KeyLabel("merchant/acme/processing-2026"))
    try compromise(label)
    let desk = try room.run(TestPlan(TestPlan.unlock, TestPlan.destroying), desk(), in: "/second")
    #expect(desk.shown.contains("is destroyed"))
    let record = try room.store(paper).record(labelled: label)
    #expect(record?.state == .destroyed && record?.compromised != nil && record?.retired == nil)
    #expect(try room.verdict("/second").outcome == .unwitnessed)
  }

  @Test func aCompromisedKeyLeavesNoMore() throws {
    let block = try exported()
    for label in ["data/out", "data/exchanged"] {
      try compromise(#require(KeyLabel(label)))
      #expect(throws: CeremonyError.keyStore(.wrongState(.compromised))) {
        try room.run(
          TestPlan(TestPlan.unlock, TestPlan.exporting()), desk(), in: "/" + label.dropFirst(5))
      }
    }
    #expect(throws: CeremonyError.keyStore(.wrongState(.compromised))) {
      try room.run(
        TestPlan(TestPlan.unlock, TestPlan.importing(block: block)), desk(), in: "/second")
    }
  }

  private func compromise(_ label: KeyLabel) throws {
    let store = try room.store(paper)
    let id = try #require(store.record(labelled: label)?.id)
    try store.setState(.compromised, of: id, at: room.host.clock(), anchor: store.anchor)
  }

  @Test func aKeyIsNotDestroyedByAnotherName() throws {
    #expect(throws: CeremonyError.refused(.notConfirmed)) {
      try room.run(
        TestPlan(TestPlan.unlock, TestPlan.destroying),
        desk(("for ever", ["merchant/acme/processing-2027"])), in: "/second")
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
    #expect(try room.verdict("/second").outcome == .unwitnessed)
  }
}
