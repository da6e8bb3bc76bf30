import Audit
import Crypto
import Format
import Foundation
import Policy
import TestSupport
import Testing

/// The commands that put many questions to a policy.
@Suite struct PolicyReviewCommandTests {
  private let scratch: Scratch
  private static let acme =
    "[[grant]]\nid = \"acme\"\nusers = [1001]\noperations = [\"open-payment-token\"]\nkeys = [\"merchant/acme/*\"]\nrelease = [\"last4\"]\n"

  init() throws {
    try #require(TestArena.ready)
    scratch = try Scratch()
    try policy("old", Self.acme)
  }

  @discardableResult private func policy(_ name: String, _ text: String) throws -> String {
    let directory = scratch.path + "/" + name
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try scratch.write(name + "/10.toml", text)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: directory + "/10.toml")
    return directory
  }

  private var old: String { scratch.path + "/old" }

  @Test func checkNamesGrantsThatNothingReaches() throws {
    let late = Self.acme.replacing("\"acme\"", with: "\"late\"").replacing(
      "merchant/acme/*", with: "merchant/acme/x")
    let directory = try policy("shadowed", Self.acme + late)
    let remark =
      "\(directory)/10.toml:8:6: grant late is never reached: grant acme (\(directory)/10.toml:2) decides all that it covers\n"
    #expect(
      try Kist.run(["policy", "check", directory]).output.hasPrefix(
        remark + "\(directory): good, 2 grants\nSHA-256 "))
    let lockOut =
      "no grant has unlock or submit-share: only a credential at start could open the key store"
    #expect(
      try Kist.run(["policy", "check", "--strict", directory])
        == Transcript(code: 1, output: remark + "\(directory): \(lockOut)\n"))
    #expect(try Kist.run(["policy", "check", old]).code == 0)
    let json = try Kist.run(["policy", "check", "--strict", "--json", directory])
    #expect(json.code == 1)
    #expect(
      json.output.contains(
        "\"ok\":false,\"remarks\":[{\"column\":6,\"file\":\"\(directory)/10.toml\",\"line\":8,\"message\":\"grant late is never "
      ))
  }

  @Test func checkNamesEntriesThatAnEarlierGrantDecides() throws {
    let later =
      "[[grant]]\nid = \"later\"\nusers = [1001, 1002]\noperations = [\"open-payment-token\"]\nkeys = [\"merchant/acme/x\"]\nrelease = [\"dpan\"]\n"
    let directory = try policy("overruled", Self.acme + later)
    let remark =
      "\(directory)/10.toml:8:6: grant later does not decide open-payment-token with merchant/acme/x for user 1001: grant acme (\(directory)/10.toml:2) comes first; this one releases dpan too, no longer releases last4\n"
    #expect(
      try Kist.run(["policy", "check", directory]).output.hasPrefix(
        remark + "\(directory): good, 2 grants\n"))
  }

  @Test func strictCheckNamesWhatWasHardlyMeant() throws {
    let operators =
      "[[grant]]\nid = \"ops\"\nusers = [5]\noperations = [\"unlock\", \"retire-key\", \"destroy-key\", \"approve\"]\nkeys = [\"*\"]\n"
    let odd = Self.acme.replacing("release = [\"last4\"]\n", with: "")
    var cases: [(text: String, remark: String)] = [
      ("", "DIR: there is no grant: every request would be denied"),
      (
        Self.acme,
        "DIR: no grant has unlock or submit-share: only a credential at start could open the key store"
      ),
      (
        operators.replacing(", \"approve\"", with: ""),
        "DIR: no grant has approve: what waits for a second person could never be done"
      ),
      (
        odd + operators,
        "DIR/10.toml:2:6: grant acme opens tokens and releases nothing of them: expected 'release'"
      ),
      (
        Self.acme + "until = \"2020-01-01\"\n" + operators,
        "DIR/10.toml:2:6: grant acme ended at 2020-01-01T00:00:00Z"
      ),
      (
        Self.acme + "units = [\"web\"]\n" + operators,
        "DIR/10.toml:2:6: grant acme names unit web, which is not a service or scope: did you mean web.service?"
      ),
      (
        Self.acme + "executables = [\"/usr/bin/web\"]\n" + operators,
        "DIR/10.toml:2:6: grant acme names executables, which the daemon does not see unless process.landlock is false"
      ),
      (
        Self.acme.replacing("\"last4\"", with: "\"dpan\", \"cryptogram\"") + operators,
        "DIR/10.toml:2:6: grant acme releases dpan without cryptogram and eci: such a payment is keyed entry, and the liability for fraud does not shift"
      ),
      (
        Self.acme + operators
          + "[[grant]]\nid = \"all\"\ngroups = [7]\noperations = [\"random\"]\n",
        "DIR/10.toml:13:6: grant all lets many users fill the log, a record for each request: expected 'rate'"
      ),
    ]
    let shared =
      "names user 300000 by the number alone: every container with that uid is this caller"
    cases.append(
      (
        Self.acme.replacing("users = [", with: "users = [300000, ") + operators,
        "DIR/10.toml:2:6: grant acme \(shared)"
      ))
    for (number, odd) in cases.enumerated() {
      let directory = try policy("odd\(number)", odd.text)
      let remark = odd.remark.replacing("DIR", with: directory) + "\n"
      #expect(
        try Kist.run(["policy", "check", "--strict", directory])
          == Transcript(code: 1, output: remark))
      #expect(
        try Kist.run(["policy", "check", directory]).output.hasPrefix("\(directory): good, "))
    }
    let contained = Self.acme.replacing(
      "users = [", with: "units = [\"shop.service\"]\nusers = [300000, ")
    #expect(
      try !Kist.run(["policy", "check", "--strict", policy("contained", contained + operators)])
        .output.contains("by the number alone"))
    let directory = try policy(
      "good",
      Self.acme.replacing("\"last4\"", with: "\"dpan\", \"cryptogram\", \"eci\"") + operators)
    #expect(
      try Kist.run(["policy", "check", "--strict", directory]).output.hasPrefix(
        "\(directory): good, 2 grants\n"))
  }

  @Test func test() throws {
    let good =
      "[[case]]\nuser = 1001\ngroups = [1]\noperation = \"open-payment-token\"\nkey = \"merchant/acme/x\"\ngrant = \"acme\"\n"
    let bad =
      "[[case]]\nname = \"nobody else\"\nuser = 1002\ngroups = [1]\noperation = \"open-payment-token\"\nkey = \"merchant/acme/x\"\ngrant = \"acme\"\n"
    let file = try scratch.write("cases.toml", good)
    #expect(
      try Kist.run(["policy", "test", file, "--dir", old])
        == Transcript(output: "\(file): 1 case, all good\n"))
    try scratch.write("cases.toml", good + bad)
    let failed =
      "nobody else: expected grant acme, is denied: no grant covers this caller, operation and key together"
    #expect(
      try Kist.run(["policy", "test", file, "--dir", old])
        == Transcript(code: 1, output: "\(file):7: \(failed)\n\(file): 2 cases, 1 failed\n"))
    #expect(
      try Kist.run(["policy", "test", file, "--dir", old, "--json"]).output.contains(
        "{\"line\":7,\"message\":\"expected grant acme, is denied: no grant covers this caller, operation and key together\",\"name\":\"nobody else\",\"ok\":false}"
      ))
    try scratch.write("cases.toml", "[[case]]\nuser = 1001\ngroups = [1]\n")
    #expect(
      try Kist.run(["policy", "test", file, "--dir", old]).complaint
        == "\(file):1:1: 'operation' is missing; expected the operation that is asked for\n")
    try scratch.write("cases.toml", "")
    #expect(
      try Kist.run(["policy", "test", file, "--dir", old])
        == Transcript(code: 1, complaint: "kist policy test: \(file): no [[case]] in it\n"))
  }

  @Test func diff() throws {
    let new = try policy(
      "new",
      Self.acme.replacing("[1001]", with: "[1001, 1002]").replacing(
        "\"last4\"", with: "\"last4\", \"dpan\""))
    #expect(
      try Kist.run(["policy", "diff", old, old]) == Transcript(output: "both allow the same\n"))
    #expect(
      try Kist.run(["policy", "diff", old, new])
        == Transcript(
          code: 1,
          output: """
            user 1001 keeps
              open-payment-token with merchant/acme/*: now by grant acme; releases dpan too
            user 1002 gains
              open-payment-token with merchant/acme/*: by grant acme; releases dpan, last4

            """))
    #expect(
      try Kist.run(["policy", "diff", old, new, "--json"]).output.hasPrefix(
        "{\"changes\":[{\"details\":[\"now by grant acme\","))
    #expect(
      try Kist.run(["policy", "diff", old, "/nowhere"])
        == Transcript(code: 66, complaint: "/nowhere: cannot be read: No such file or directory\n"))
  }

  @Test func simulateAndSuggest() throws {
    let log = try record()
    let careful =
      "careful: no grant has unlock or submit-share: only a credential at start could open the key store\n"
    #expect(
      try Kist.run(["policy", "simulate", old, "--log", log])
        == Transcript(output: "3 requests replayed, all come out the same\n" + careful))
    let narrow = try policy(
      "narrow", Self.acme.replacing("merchant/acme/*", with: "merchant/acme/y"))
    let answer = try Kist.run(["policy", "simulate", narrow, "--log", log])
    #expect(answer.code == 1)
    #expect(
      answer.output == """
        3 requests replayed

        2 would be refused
          user 1001  open-payment-token with merchant/acme/x  2 times, records 2 to 3  no grant covers this caller, operation and key together

        """ + careful)
    let weekend = try policy("weekend", Self.acme + "hours = [\"sat 00:00-24:00\"]\n")
    #expect(
      try Kist.run(["policy", "simulate", weekend, "--log", log]).output.contains(
        "  grant acme is not in force then, but sat 00:00-24:00 UTC\n"))
    #expect(
      try Kist.run(["policy", "simulate", narrow, "--log", log, "--since", "2027-01-16"])
        == Transcript(output: "0 requests replayed, all come out the same\n" + careful))
    #expect(
      try Kist.run(["policy", "simulate", narrow, "--log", log, "--json"]).output.hasSuffix(
        "\"ok\":false,\"requests\":3}\n"))
    let suggested = try Kist.run(["policy", "suggest", "--log", log, "--dir", old])
    #expect((suggested.code, suggested.complaint) == (0, ""))
    #expect(
      suggested.output.hasPrefix(
        "# what 2 allowed requests needed; stages leave no record\n# \(careful)# kist policy, canonical form 1\n\n[[grant]]\n"
      ))
    let limited = try Kist.run(["policy", "suggest", "--log", log, "--dir", old, "--rates"]).output
    let period =
      "# rates: twice the most of any minute from 2027-01-15T08:00:00Z to 2027-01-15T08:00:00Z\n"
    #expect(
      limited == suggested.output.replacing("# careful", with: period + "# careful")
        + "rate = \"4/m\"\n")
    let directory = try policy("suggested", limited)
    #expect(
      try Kist.run(["policy", "check", directory]).output.hasPrefix("\(directory): good, 1 grant\n")
    )
    #expect(
      try Kist.run(["policy", "simulate", directory, "--log", log])
        == Transcript(output: "3 requests replayed, all come out the same\n" + careful))
    #expect(
      try Kist.run(["policy", "suggest", "--log", log, "--dir", "/nowhere"]).complaint
        == "/nowhere: cannot be read: No such file or directory\n")
  }

  @Test(
    "[AUD-REC-4] a unit's name breaks no suggestion: what no policy can name is said and left out")
  func suggestOddUnits() throws {
    let log = try record(units: [
      "we\"b.service", #"we\x2d\b.service"#, "a..service", "a\nb.service", "\u{1B}[2J.service",
    ])
    let answer = try Kist.run(["policy", "suggest", "--log", log, "--dir", old])
    #expect((answer.code, answer.complaint) == (0, ""))
    for remark in [#"unit a\u{a}b.service"#, #"unit \u{1b}[2J.service"#] {
      #expect(answer.output.contains("# warning: no policy can name \(remark); it is left out\n"))
    }
    #expect(
      answer.output.contains(#"units = ["we\"b.service"]"#)
        && answer.output.contains(#"units = ["we\\x2d\\b.service"]"#))
    let suggested = try policy("suggested", answer.output)
    #expect(
      try Kist.run(["policy", "check", suggested]).output.hasPrefix(
        "\(suggested): good, 4 grants\n"))
    #expect(
      try Kist.run(["policy", "simulate", suggested, "--log", log]).output.hasPrefix(
        "6 requests replayed, all come out the same\n"))
  }

  @Test func whatCannotBeRead() throws {
    #expect(
      try Kist.run(["policy", "simulate", old, "--log", "/nowhere"]).complaint
        == "kist policy simulate: /nowhere: No such file or directory\n")
    #expect(try Kist.run(["policy", "suggest", "--since", "yesterday"]).code == 2)
  }

  /// A log of tokens that user 1001 opened, from each of the units, and one request of user 1002
  /// that was denied.
  private func record(units: [String?] = [nil, nil]) throws -> String {
    let directory = scratch.path + "/audit"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let signer = try NoteSigner(
      name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span))
    let settings = AuditSettings(
      boot: try #require(BootID("0123456789abcdef0123456789abcdef")),
      clock: { Timestamp(seconds: 1_800_000_000) })
    let digest = SHA256.hash([])
    let log = try AuditLog(
      LogDirectory(directory), signer: signer,
      start: StartFacts(policy: digest, configuration: digest), settings: settings)
    let rule = try Rule(
      id: "acme", callers: CallerRule(users: [Principal(id: 1001)]),
      operations: [.openPaymentToken], keys: [.prefix("merchant/acme/")],
      released: ReleasedFields([.last4]))
    let key = KeyTarget(id: KeyID(high: 1, low: 2), label: "merchant/acme/x")
    let moment = Moment(Timestamp(seconds: 1_800_000_000), MonotonicTime(nanoseconds: 0))
    for caller in units.map({ Caller(uid: 1001, gid: 1, pid: 7, unit: $0) }) + [
      Caller(uid: 1002, gid: 1, pid: 7)
    ] {
      let facts = RequestFacts(
        .known(.openPaymentToken), id: 1, caller: caller, key: key.id, label: key.label,
        policy: digest)
      switch try Policy([rule]).covering(caller, .openPaymentToken, key: .known(key)).decide(
        at: moment, limits: UseLimits())
      {
      case .allow(let grant):
        _ = try log.commit(
          Batch(Attempt(facts, allowed: grant, .done(released: ReleasedFields([.last4])))))
      case .deny(let denial): _ = try log.commit(Batch(Attempt(facts, denied: denial)))
      }
    }
    try log.close()
    return directory
  }
}
