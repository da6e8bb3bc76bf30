import Format
import Policy
import Review
import Testing

@Suite struct DecisionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: Rule
    let caller: Caller
    var opcode = Opcode.openPaymentToken
    var label: String? = "merchant/acme/processing-2026"
    let expected: Denial?

    init(
      _ name: String, _ rule: Rule, _ caller: Caller, _ opcode: Opcode = .openPaymentToken,
      key: String? = "merchant/acme/processing-2026",
      denied: Denial? = nil
    ) {
      testDescription = name
      self.rule = rule
      self.caller = caller
      self.opcode = opcode
      label = key
      expected = denied
    }
  }

  static func cases() throws -> [Case] {
    let unit = "acme.service"
    let path = "/usr/bin/acme"
    let everything = try rule(groups: [2001], units: [unit], executables: [path])
    let keyless = try rule(operations: [.random, .verifyPaymentToken], keys: [])
    let listing = try rule(operations: [.listKeys, .describe])
    return [
      Case("user", try rule(), caller()),
      Case("one of several users", try rule(users: [7, 1001, 9]), caller()),
      Case("another user", try rule(), caller(1002), denied: .noGrant),
      Case("primary group", try rule(users: [], groups: [100]), caller()),
      Case("supplementary group", try rule(users: [], groups: [27]), caller(groups: [5, 27])),
      Case(
        "no such group", try rule(users: [], groups: [27]), caller(groups: [5, 28]),
        denied: .noGrant),
      Case(
        "the user's number is no group", try rule(users: [], groups: [1001]), caller(),
        denied: .noGrant),
      Case("unit", try rule(units: [unit]), caller(unit: unit)),
      Case("another unit", try rule(units: [unit]), caller(unit: "acme.servic"), denied: .noGrant),
      Case("no unit", try rule(units: [unit]), caller(), denied: .noGrant),
      Case(
        "a unit where an executable is asked", try rule(executables: [path]), caller(unit: path),
        denied: .noGrant),
      Case("executable", try rule(executables: ["/bin/x", path]), caller(executable: path)),
      Case(
        "replaced executable", try rule(executables: [path]),
        caller(executable: path + " (deleted)"), denied: .noGrant),
      Case(
        "Kelvin sign for K", try rule(executables: ["/opt/K"]), caller(executable: "/opt/\u{212A}"),
        denied: .noGrant),
      Case(
        "Kelvin sign in a unit", try rule(units: ["K.service"]), caller(unit: "\u{212A}.service"),
        denied: .noGrant),
      Case(
        "Kelvin sign in a label", try rule(keys: ["K"]), caller(), key: "\u{212A}", denied: .noGrant
      ),
      Case("all four kinds", everything, caller(groups: [2001], unit: unit, executable: path)),
      Case(
        "all but the user", everything, caller(1002, groups: [2001], unit: unit, executable: path),
        denied: .noGrant),
      Case("all but the group", everything, caller(unit: unit, executable: path), denied: .noGrant),
      Case(
        "all but the unit", everything, caller(groups: [2001], executable: path), denied: .noGrant),
      Case(
        "all but the executable", everything, caller(groups: [2001], unit: unit), denied: .noGrant),
      Case("root by user", try rule(users: [0]), caller(0, gid: 0)),
      Case("root by user and group", try rule(users: [0], groups: [0]), caller(0, gid: 0)),
      Case("root by group", try rule(users: [], groups: [0]), caller(0, gid: 0), denied: .noGrant),
      Case(
        "root by unit and group", try rule(users: [], groups: [0], units: [unit]),
        caller(0, gid: 0, unit: unit), denied: .noGrant),
      Case(
        "root by executable and group", try rule(users: [], groups: [0], executables: [path]),
        caller(0, gid: 0, executable: path), denied: .noGrant),
      Case(
        "a subordinate uid by group", try rule(users: [], groups: [100, 27]),
        caller(100_005, groups: [27], owner: 1001), denied: .noGrant),
      Case(
        "a subordinate uid by its owner's name", try rule(), caller(100_005, owner: 1001),
        denied: .noGrant),
      Case(
        "a subordinate uid by its number", try rule(users: [100_005]), caller(100_005, owner: 1001)),
      Case(
        "a high uid that is nobody's subordinate", try rule(users: [], groups: [27]),
        caller(1_000_005, groups: [27])),
      Case(
        "overflow user", try rule(users: [], groups: [100]), caller(65_534),
        denied: .overflowIdentity),
      Case("overflow group", try rule(), caller(gid: 65_534), denied: .overflowIdentity),
      Case("supplementary overflow group", try rule(), caller(groups: [65_534])),
      Case("another operation", try rule(), caller(), .verifyPaymentToken, denied: .noGrant),
      Case("exact label", try rule(keys: ["merchant/acme/processing-2026"]), caller()),
      Case(
        "prefix of a label", try rule(keys: ["merchant/acme/processing"]), caller(),
        denied: .noGrant),
      Case(
        "exact label of a parent", try rule(keys: ["merchant/acme"]), caller(), denied: .noGrant),
      Case("outer prefix", try rule(keys: ["merchant/*"]), caller()),
      Case("every key", try rule(keys: ["*"]), caller()),
      Case("sibling's prefix", try rule(keys: ["merchant/acme-2/*"]), caller(), denied: .noGrant),
      Case(
        "prefix itself is not below it", try rule(), caller(), key: "merchant/acme",
        denied: .noGrant),
      Case("unknown key", try rule(), caller(), key: nil, denied: .unknownKey),
      Case("unknown key of a stranger", try rule(), caller(1002), key: nil, denied: .noGrant),
      Case("keyless operation", keyless, caller(), .random, key: nil),
      Case("a key where none is used", keyless, caller(), .random, denied: .noGrant),
      Case("optional key left out", keyless, caller(), .verifyPaymentToken, key: nil),
      Case("optional key not covered", keyless, caller(), .verifyPaymentToken, denied: .noGrant),
      Case(
        "optional key covered", try rule(operations: [.verifyPaymentToken]), caller(),
        .verifyPaymentToken),
      Case("listing names no key", listing, caller(), .listKeys, key: nil),
      Case("keyless beside a listing", listing, caller(), .describe, key: nil),
    ]
  }

  @Test(arguments: try cases()) func decides(_ test: Case) throws {
    let policy = try Policy([test.rule])
    let expected = test.expected.map(Outcome.denied) ?? .allowed("acme")
    #expect(policy.outcome(test.caller, test.opcode, test.label) == expected)
  }

  @Test(arguments: Opcode.allCases) func nothingIsAllowedByDefault(_ opcode: Opcode) {
    for label in [nil, "merchant/acme/x"] {
      #expect(Policy.empty.outcome(caller(), opcode, label) == .denied(.noGrant))
    }
  }

  @Test func theFirstGrantDecidesAlone() throws {
    let narrow = try rule(
      "narrow", keys: ["merchant/acme/*"], released: [.init([.last4])], stages: true)
    let wide = try rule("wide", keys: ["*"], released: [.init([.dpan, .raw])])
    let target = key("merchant/acme/x")
    for (rules, id, released) in [
      ([narrow, wide], "narrow", narrow.released), ([wide, narrow], "wide", wide.released),
    ] {
      guard
        case .allow(let grant) = try Policy(rules).decide(
          caller(), .openPaymentToken, key: target, at: Moment(friday, epoch), limits: UseLimits())
      else {
        Issue.record("denied")
        continue
      }
      #expect(grant.id == id)
      #expect(grant.released == released)
      #expect(grant.showsStage == (id == "narrow"))
      #expect(grant.key == target.target?.id)
    }
  }

  @Test func aUsedUpRateDoesNotFallThrough() throws {
    let policy = try Policy([rule("slow", rate: "1/h"), rule("fast")])
    let limits = UseLimits()
    #expect(
      policy.outcome(caller(), .openPaymentToken, "merchant/acme/x", limits: limits)
        == .allowed("slow"))
    #expect(
      policy.outcome(caller(), .openPaymentToken, "merchant/acme/x", limits: limits)
        == .denied(.rate(grant: "slow")))
    // A denied request takes no token, and a reload gives none back.
    let later = MonotonicTime(nanoseconds: 3_600_000_000_000)
    let reloaded = try Policy([rule("slow", rate: "1/h")])
    #expect(
      reloaded.outcome(caller(), .openPaymentToken, "merchant/acme/x", limits: limits)
        == .denied(.rate(grant: "slow")))
    #expect(
      reloaded.outcome(caller(), .openPaymentToken, "merchant/acme/x", now: later, limits: limits)
        == .allowed("slow"))
  }

  @Test func aSubordinateUidUsesUpItsOwnersRateAndQuota() throws {
    for limited in [
      try rule(users: [1001, 100_005], rate: "1/h"),
      try rule(users: [1001, 100_005], quota: "1/d"),
    ] {
      let policy = try Policy([limited])
      let limits = UseLimits()
      #expect(
        policy.outcome(caller(), .openPaymentToken, "merchant/acme/x", limits: limits)
          == .allowed("acme"))
      #expect(
        policy.outcome(
          caller(100_005, owner: 1001), .openPaymentToken, "merchant/acme/x", limits: limits)
          != .allowed("acme"))
      #expect(
        policy.outcome(caller(100_005), .openPaymentToken, "merchant/acme/x", limits: limits)
          == .allowed("acme"))
    }
  }

  @Test func anAbsentKeyIsDeniedWhateverTheGrants() throws {
    for keys in [["*"], ["merchant/acme/*"]] {
      let policy = try Policy([
        rule(operations: [.openPaymentToken, .verifyPaymentToken], keys: keys)
      ])
      for opcode in [Opcode.openPaymentToken, .verifyPaymentToken] {
        let decision = policy.decide(
          caller(), opcode, key: .absent, at: Moment(friday, epoch), limits: UseLimits())
        #expect(Outcome(decision) == .denied(.unknownKey))
      }
    }
  }

  @Test func aListingGrantCoversOnlyItsKeys() throws {
    let policy = try Policy([
      rule(operations: [.listKeys], keys: ["merchant/acme/*", "issuer/one"])
    ])
    guard
      case .allow(let grant) = policy.decide(
        caller(), .listKeys, key: .none, at: Moment(friday, epoch), limits: UseLimits())
    else {
      Issue.record("denied")
      return
    }
    #expect(grant.key == nil)
    // A grant cannot be copied, so `#expect` cannot hold it.
    let covered = (
      grant.covers("merchant/acme/x"), grant.covers("issuer/one"), grant.covers("issuer/two"),
      grant.covers("merchant/zeta/x")
    )
    #expect(covered == (true, true, false, false))
  }

  @Test func theKeysOfAListingAreThoseOfEveryRuleThatCoversIt() throws {
    let policy = try Policy([
      rule("first", operations: [.listKeys], keys: ["issuer/one"]),
      rule("second", operations: [.listKeys, .openPaymentToken]),
      rule("using", keys: ["other/*"]),
      rule("over", operations: [.listKeys], keys: ["*"], validity: Validity(until: friday)),
      rule("else", users: [7], operations: [.listKeys], keys: ["*"]),
    ])
    let keys = policy.keys(of: caller(), .listKeys, at: friday)
    #expect(["issuer/one", "merchant/acme/x", "merchant/acme/x/y"].allSatisfy(keys.covers))
    #expect(
      !["issuer/two", "merchant/acme", "merchant/zeta/x", "other/a", "top", "", "merchant/acmé/x"]
        .contains(where: keys.covers))
    #expect(policy.keys(of: caller(7), .listKeys, at: friday).covers("top"))
    #expect(!policy.keys(of: caller(8), .listKeys, at: friday).covers("issuer/one"))
    for (uid, label) in [1001, 7, 8].flatMap({ uid in
      ["issuer/one", "issuer/two", "merchant/acme/x", "top", "other/a"].map { (UInt32(uid), $0) }
    }) {
      let ruling = policy.ruling(caller(uid), .listKeys, label: label, at: friday)
      let isAllowed = if case .allowed = ruling { true } else { false }
      #expect(policy.keys(of: caller(uid), .listKeys, at: friday).covers(label) == isAllowed)
    }
    #expect(
      !policy.keys(of: caller(Principal.overflow), .listKeys, at: friday).covers("issuer/one"))
  }

  @Test func idsAreUnique() throws {
    let rules = [try rule("a"), try rule("b"), try rule("a")]
    #expect(throws: PolicyError.duplicate(first: 0, second: 2)) { try Policy(rules) }
  }
}
