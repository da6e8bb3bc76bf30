import Ceremony
import Configuration
import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct PlanTests {
  init() throws { try #require(TestArena.ready) }

  @Test func aPlan() throws {
    let plan = try TestPlan(TestPlan.initialise, TestPlan.merchantKey).decoded()
    #expect(plan.id == "acme-2026-1" && plan.store.path == "/state/keys" && plan.quorum == 1)
    #expect(plan.people.administrator.name == "alice" && plan.people.reader.name == "bob")
    #expect(plan.steps.map { type(of: $0).kind } == ["initialise", "generate"])
    #expect(plan.outputs == ["acme-processing.pem"])
    #expect(plan.digest == SHA256.hash(plan.text))
    #expect(plan.words.count == 4 && plan.words.allSatisfy { $0.split(separator: " ").count == 8 })
  }

  /// What the package ships to start from.
  @Test(arguments: [
    "first-keys", "certificate", "exchange", "custodians", "new-kek", "backup", "drill",
  ]) func anExample(_ name: String) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try Data(
      contentsOf: root.appendingPathComponent("packaging/example/ceremonies/\(name).toml"))
    #expect(try CeremonyPlan.decode(Array(text), file: name).steps.isEmpty == false)
  }

  @Test func theScriptSaysAllThatIsDone() throws {
    let plan = try TestPlan(
      TestPlan.initialise + "\ndice = true\naudit_origin = \"acme/audit\"", TestPlan.merchantKey
    ).decoded()
    let script = Script(plan).text
    for part in [
      "Ceremony  acme-2026-1\n", plan.digest.hex, plan.words[3], "bob: operator, custodian",
      "wendy: witness; ssh-ed25519 SHA256:", "0. roll call",
      "1. initialise", "XOR-ed with 100 throws", "2 of 3", "share 3 of 3 is shown to dave alone",
      "2. generate", "merchant.com.acme, not active yet, P-256",
      "3. the transcript is closed", "at least 1 of wendy",
      "Outputs\n  audit.vkey\n  acme-processing.pem\n",
    ] {
      #expect(script.contains(part), "\(part)")
    }
  }

  @Test func codesAreOfferedWhereThePlanSaysSo() throws {
    let line =
      "each of them may ask to see it as a QR code, too; a device that scans it must keep nothing"
    for (text, isOffered) in [("\nqr = true", true), ("\nqr = false", false), ("", false)] {
      #expect(
        try Script(TestPlan(TestPlan.initialise + text).decoded()).text.contains(line) == isOffered)
    }
  }

  struct Flaw: Sendable, CustomTestStringConvertible {
    let change: @Sendable (inout TestPlan) -> Void
    let message: String
    var testDescription: String { message }

    /// In the first part that has it.
    init(_ old: String, _ new: String, _ message: String) {
      self.message = message
      change = { plan in
        if plan.head.contains(old) {
          plan.head.replace(old, with: new)
        } else if plan.people.contains(old) {
          plan.people.replace(old, with: new)
        } else {
          plan.steps = plan.steps.map { $0.replacing(old, with: new) }
        }
      }
    }

    init(steps: String..., message: String) {
      self.message = message
      change = { $0.steps = steps }
    }
  }

  static let flaws = [
    Flaw("purpose =", "porpoise =", "2:1: unknown key"),
    Flaw("purpose = \"The first key store of Acme\"", "", "'purpose' is missing"),
    Flaw(
      "The first key store of Acme", "Acme\u{202E}",
      "'purpose' is \"Acme\\u{202e}\"; expected one printable line"),
    Flaw(
      "/state/keys", "/state/\u{9B}keys",
      "'store' is \"/state/\\u{9b}keys\"; expected a printable absolute path"),
    Flaw("AAAAC3", "AAAA\u{202E}C3", "'key' is"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.requesting.replacing("Acme Inc.", with: "Acme\\nInc."),
      message: "'organization' is"),
    Flaw(
      steps: TestPlan.unlock,
      TestPlan.importing(file: []).replacing("/media/key", with: "/media/\\u001b[2Jkey"),
      message: "'file' is"),
    Flaw("acme-2026-1", "Acme", "1:6: 'id' is \"Acme\""),
    Flaw("acme-2026-1", ".hidden", "'id' is \".hidden\""),
    Flaw("2026-12-01", "2026-13-01", "3:8: 'date' is"),
    Flaw("/state/keys", "state/keys", "4:9: 'store' is"),
    Flaw("/state/keys", "/keys", "'store' is"),
    Flaw("abab", "ABab", "'software[0]' is"),
    Flaw("ab  /usr", "ab /usr", "'software[0]' is"),
    Flaw("cd  /usr", "cd  usr", "'software[1]' is"),
    Flaw(
      "/usr/lib/libc.so.6", "/usr/bin/kist",
      "'software' is 2 lines; expected 1 to 64, each of another file"),
    Flaw("witness_quorum = 1", "witness_quorum = 2", "expected at most the 1 witnesses there are"),
    Flaw("witness_quorum = 1", "witness_quorum = 0", "'witness_quorum' is 0"),
    Flaw("name = \"alice\"", "name = \"Alice\"", "'name' is \"Alice\""),
    Flaw("name = \"carol\"", "name = \"bob\"", "two people are called \"bob\""),
    Flaw("[\"administrator\"]", "[\"administrator\", \"operator\"]", "expected two people"),
    Flaw("[\"witness\"]", "[\"witness\", \"operator\"]", "expected a witness to be nothing else"),
    Flaw("[\"witness\"]", "[\"witness\", \"custodian\"]", "expected a witness to be nothing else"),
    Flaw("[\"administrator\"]", "[\"custodian\"]", "0 people are administrators"),
    Flaw(
      "name = \"carol\"\nroles = [\"custodian\"]", "name = \"carol\"\nroles = [\"administrator\"]",
      "2 people are administrators"),
    Flaw("[\"operator\", \"custodian\"]", "[\"custodian\"]", "nobody is an operator"),
    Flaw("key = \"\(TestPlan.witnessKey)\"", "", "'key' is missing"),
    Flaw("ssh-ed25519 AAAA", "ssh-rsa AAAA", "'key' is"),
    Flaw(
      "[\"administrator\"]", "[\"administrator\"]\nkey = \"\(TestPlan.witnessKey) alice@acme\"",
      "have the same key"),
    Flaw("name = \"dave\"", "name = \"dave\"\nuser = \"carol\"", "are the same user"),
    Flaw("name = \"dave\"", "name = \"dave\"\nuser = \"Dave M\"", "'user' is \"Dave M\""),
    Flaw("name = \"dave\"", "name = \"4dave\"", "no user can be called \"4dave\""),
    Flaw("threshold = 2", "threshold = 4", "'threshold' is 4"),
    Flaw("threshold = 2", "threshold = 1", "'threshold' is 1"),
    Flaw(
      "[\"bob\", \"carol\", \"dave\"]", "[\"bob\", \"carol\", \"bob\"]",
      "is listed twice in 'custodians'"),
    Flaw(
      "[\"bob\", \"carol\", \"dave\"]", "[\"bob\", \"carol\", \"alice\"]",
      "a person whose roles have custodian"),
    Flaw(
      "[\"bob\", \"carol\", \"dave\"]", "[\"bob\", \"carol\", \"erin\"]",
      "a person whose roles have custodian"),
    Flaw("[\"bob\", \"carol\", \"dave\"]", "[\"bob\"]", "2 to 16 different custodians"),
    Flaw("threshold = 2", "threshold = 2\ngroup_threshold = 1", "unknown key 'group_threshold'"),
    Flaw(steps: grouped(2, "dave", "alice"), message: "a person whose roles have custodian"),
    Flaw(steps: grouped(3, "carol", "dave"), message: "'group_threshold' is 3"),
    Flaw(steps: grouped(0, "carol", "dave"), message: "'group_threshold' is 0"),
    Flaw(steps: grouped(1, "carol", "dave"), message: "a custodian is in two groups"),
    Flaw(
      steps: "custodians = [\"dave\", \"bob\"]\n" + grouped(1, "dave", "carol"),
      message: "a custodian is in two groups"),
    Flaw("threshold = 2", "threshold = 2\nlabel = \"a\"", "unknown key 'label'"),
    Flaw(
      "threshold = 2", "threshold = 2\nqr = \"yes\"", "'qr' is a string; expected true or false"),
    Flaw(steps: TestPlan.unlock + "\nqr = true", message: "unknown key 'qr'"),
    Flaw("kind = \"initialise\"", "kind = \"initialize\"", "'kind' is \"initialize\""),
    Flaw(steps: TestPlan.merchantKey, message: "the first step is generate"),
    Flaw(
      steps: TestPlan.initialise, TestPlan.unlock, message: "unlock is step 2; expected it first"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.merchantKey, TestPlan.merchantKey,
      message: "the label \"merchant/acme/processing-2026\" stands in an earlier step"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.merchantKey,
      TestPlan.generate("b", "signing-ecdsa", "P-384", "public = \"acme-processing.pem\""),
      message: "the output \"acme-processing.pem\" is an earlier step's"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.generate("a", "sealing", "AES-256", "public = \"a.pem\""),
      message: "has no public half"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.generate("a", "sealing", "P-256"),
      message: "'algorithm' is P-256"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.generate("a", "signing-rsa", "RSA-2056"),
      message: "'algorithm' is RSA-2056"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.generate("a", "audit-signing", "Ed25519"),
      message: "'role' is \"audit-signing\""),
    Flaw(
      steps: TestPlan.unlock, TestPlan.generate("a", "otp-hotp", "HMAC-OTP"),
      message: "whose keys come by kist key import"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.generate("A", "sealing", "AES-256"),
      message: "'label' is \"A\""),
    Flaw(
      steps: TestPlan.unlock, TestPlan.generate("a", "sealing", "AES-256", "merchant = \"m\""),
      message: "unknown key 'merchant'"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.generate("a", "merchant-processing-ec", "P-256"),
      message: "'merchant' is missing"),
    Flaw(
      steps: TestPlan.unlock,
      TestPlan.generate("a", "signing-ed25519", "Ed25519", "public = \"../a.pem\""),
      message: "'public' is \"../a.pem\""),
    Flaw(
      steps: TestPlan.unlock,
      TestPlan.generate("a", "signing-ed25519", "Ed25519", "public = \"a.txt\""),
      message: "'public' is \"a.txt\""),
    Flaw(
      steps: TestPlan.unlock, TestPlan.generate("a", "sealing", "AES-256"), requesting("a"),
      message: "Apple certifies no key like \"a\""),
    Flaw(
      steps: TestPlan.unlock,
      TestPlan.generate("a", "merchant-identity-rsa", "RSA-4096", "merchant = \"m\""),
      requesting("a"),
      message: "Apple certifies no key like \"a\""),
    Flaw(
      steps: TestPlan.unlock, TestPlan.importing(block: [], "versions = [\"D\"]"),
      message: "expected one of A, B, C"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.exporting().replacing(".kb", with: ".txt"),
      message: "'block' is \"out.txt\""),
    Flaw(
      steps: TestPlan.unlock, requesting("a").replacing(".csr", with: ".pem"),
      message: "'request' is \"a.pem\""),
    Flaw(
      steps: TestPlan.unlock, requesting("a") + "\ncountry = \"usa\"",
      message: "'country' is \"usa\""),
    Flaw(
      steps: TestPlan.unlock, requesting("a"), requesting("b").replacing("b.csr", with: "a.csr"),
      message: "the output \"a.csr\" is an earlier step's"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.merchantKey, TestPlan.attaching([]),
      message: "is made in an earlier step"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.attaching([]).replacing("/media/", with: "media/"),
      message: "'certificate' is"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.attaching([]).replacing(/sha256.*/, with: ""),
      message: "'sha256' is missing"),
    Flaw(steps: TestPlan.restoring(""), message: "'sha256' is"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.restoring(), message: "restore is step 2; expected it first"),
    Flaw(steps: TestPlan.backingUp, message: "the first step is back-up"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.backingUp, TestPlan.backingUp,
      message: "the output \"copy.sha256\" is an earlier step's"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.backingUp.replacing("/media/copy", with: "copy"),
      message: "'directory' is"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.rotating.replacing("2", with: "4"),
      message: "'threshold' is 4"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.rotating.replacing("\"bob\"", with: "\"carol\""),
      message: "is listed twice in 'custodians'"),
    Flaw(
      steps: TestPlan.rotating,
      message: "the first step is rotate-kek; expected initialise, unlock or restore"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.importing(file: [], role: "sealing"),
      message: "whose keys have no private half"),
    Flaw(
      steps: TestPlan.unlock, TestPlan.importing(file: []).replacing("carol", with: "alice"),
      message: "'custodian' is \"alice\""),
    Flaw(
      steps: TestPlan.unlock, TestPlan.importing(file: []).replacing("/media/key", with: "key"),
      message: "'file' is \"key\""),
    Flaw(steps: "kind = \"unlock\"\nwith = \"magic\"", message: "'with' is \"magic\""),
    Flaw(steps: "with = \"shares\"", message: "'kind' is missing"),
  ]

  private static func requesting(_ label: String) -> String {
    "kind = \"certificate-request\"\nlabel = \"\(label)\"\nrequest = \"\(label).csr\""
  }

  private static func grouped(_ threshold: Int, _ first: String, _ second: String) -> String {
    func group(_ names: [String]) -> String {
      "[[step.group]]\nthreshold = 2\ncustodians = [\"\(names[0])\", \"\(names[1])\"]\n"
    }
    return "kind = \"initialise\"\ngroup_threshold = \(threshold)\n" + group(["bob", "carol"])
      + group([first, second])
  }

  @Test(arguments: flaws) func whatIsRefused(_ flaw: Flaw) throws {
    var plan = TestPlan()
    flaw.change(&plan)
    let error = #expect(throws: ConfigurationError.self) { try plan.decoded() }
    #expect(error?.description.contains(flaw.message) == true, "\(error?.description ?? "")")
  }

  @Test func aPlanWithoutSteps() throws {
    var plan = TestPlan()
    plan.steps = []
    #expect(throws: ConfigurationError.self) { try plan.decoded() }
  }
}
