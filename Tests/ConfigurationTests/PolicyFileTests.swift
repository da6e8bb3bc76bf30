import Configuration
import Format
import Policy
import Testing

@Suite struct PolicyFileTests {
  /// A good grant, with `line` put after its id.
  private static func grant(_ line: String) -> String { "[[grant]]\nid = \"a\"\n\(line)\n" }

  static let good =
    "users = [\"acme\"]\noperations = [\"open-payment-token\"]\nkeys = [\"merchant/acme/*\"]\n"
  static let operation =
    "one of " + Opcode.grantable.map(\.name).joined(separator: ", ")
  static let field =
    "one of dpan, last4, bin, network, expiry, currency, amount, cryptogram, eci, payment-data-type, device-manufacturer, emv-data, encrypted-pin, cardholder-name, authentication-responses, merchant-token, raw, surrogate, envelope, shared-secret, derived-key"
  static let sealable =
    "one of " + ReleasedFields.sealable.fields.map(\.name).joined(separator: ", ")
  static let label =
    "a key label such as \"merchant/acme/processing-2026\", or a prefix such as \"merchant/acme/*\""
  static let random = "operations = [\"random\"]"

  static let mistakes = [
    // Keys.
    Mistake(
      "grants = []", "FILE:1:1: unknown key 'grants' (did you mean 'grant'?); expected one of grant"
    ),
    Mistake(
      grant("user = [\"acme\"]\n" + random),
      "FILE:3:1: unknown key 'user' (did you mean 'users'?); expected one of approval, envelope, executables, from, groups, hours, id, key_quota, keys, operations, quota, rate, release, release_to, stages, units, until, users"
    ),
    Mistake(
      "[[grant]]\nname = \"a\"\n" + good,
      "FILE:2:1: unknown key 'name'; expected one of approval, envelope, executables, from, groups, hours, id, key_quota, keys, operations, quota, rate, release, release_to, stages, units, until, users"
    ),
    Mistake(
      "[[grant]]\n" + good, "FILE:1:1: 'id' is missing; expected a name of its own for this grant"),
    Mistake(
      grant(random),
      "FILE:2:6: this grant names no accounts; expected users or groups beside units and executables"
    ),
    Mistake(
      grant("units = [\"a.service\"]\nexecutables = [\"/usr/bin/a\"]\n" + random),
      "FILE:2:6: this grant names no accounts; expected users or groups beside units and executables"
    ),
    Mistake(
      grant("users = [\"acme\"]"), "FILE:1:1: this grant names no operations; expected at least one"
    ),
    // Types.
    Mistake(
      "grant = 1",
      "FILE:1:9: 'grant' is an integer; expected an array of tables, each under [[grant]]"),
    Mistake(
      "[grant]", "FILE:1:1: 'grant' is a table; expected an array of tables, each under [[grant]]"),
    Mistake("[[grant]]\nid = 1\n" + good, "FILE:2:6: 'id' is an integer; expected a string"),
    Mistake(grant("users = \"acme\""), "FILE:3:9: 'users' is a string; expected an array of users"),
    Mistake(
      grant("users = [true]"),
      "FILE:3:10: 'users[0]' is a boolean; expected the name or number of a user"),
    Mistake(
      grant("groups = [[1]]"),
      "FILE:3:11: 'groups[0]' is an array; expected the name or number of a group"),
    Mistake(grant("units = [1]"), "FILE:3:10: 'units[0]' is an integer; expected a string"),
    Mistake(
      grant("operations = [\"random\", 2]"),
      "FILE:3:25: 'operations[1]' is an integer; expected \(operation)"),
    Mistake(
      grant("stages = \"yes\"\n" + good), "FILE:3:10: 'stages' is a string; expected true or false"),
    Mistake(
      grant("approval = \"yes\"\n" + good),
      "FILE:3:12: 'approval' is a string; expected true or false"),
    Mistake(
      grant("approval = true\nusers = [1]\noperations = [\"status\", \"approve\", \"who\"]"),
      "FILE:3:12: 'approval' is true, but no operation of this grant can wait for an approval; expected others, or no 'approval'"
    ),
    Mistake(
      grant("rate = 100\n" + good),
      "FILE:3:8: 'rate' is an integer; expected a rate such as \"100/s\", \"600/m\" or \"20/h\", at most 1000000"
    ),
    Mistake(
      grant("quota = \"5/s\"\n" + good),
      "FILE:3:9: 'quota' is \"5/s\"; expected a quota such as \"5000/d\" or \"20000/w\", at most 1000000000"
    ),
    Mistake(
      grant("key_quota = 5\n" + good),
      "FILE:3:13: 'key_quota' is an integer; expected a quota such as \"5000/d\" or \"20000/w\", at most 1000000000"
    ),
    Mistake(
      grant("from = \"2026-13-01\"\n" + good),
      "FILE:3:8: 'from' is \"2026-13-01\"; expected a moment of UTC such as \"2026-12-01\" or \"2026-12-01T09:30:00Z\""
    ),
    Mistake(
      grant("from = 2026-12-01\n" + good),
      "FILE:3:8: 'from' is a date or time; expected a moment of UTC such as \"2026-12-01\" or \"2026-12-01T09:30:00Z\""
    ),
    Mistake(
      grant("until = \"2026-12-01T09:30:00.5Z\"\n" + good),
      "FILE:3:9: 'until' is \"2026-12-01T09:30:00.5Z\"; expected a moment of UTC such as \"2026-12-01\" or \"2026-12-01T09:30:00Z\""
    ),
    Mistake(
      grant("hours = [\"fri-mon 08:00-18:00\"]\n" + good),
      "FILE:3:10: 'hours[0]' is \"fri-mon 08:00-18:00\"; expected hours of UTC such as \"mon-fri 08:00-18:00\" or \"22:00-24:00\", those past midnight as two"
    ),
    Mistake(
      grant("hours = []\n" + good),
      "FILE:3:9: 'hours' is empty; expected one or more hours, or no such key"),
    // Names.
    Mistake(
      "[[grant]]\nid = \"A\"\n" + good,
      "FILE:2:6: 'id' is not an identifier; expected 1 to 64 of a-z, 0-9, '.', '_' and '-'"),
    Mistake(
      grant("users = [\"acme\", \"ghost\"]"),
      "FILE:3:18: unknown user \"ghost\"; expected the name or number of a user on this system"),
    Mistake(
      grant("groups = [\"acme\"]"),
      "FILE:3:11: unknown group \"acme\"; expected the name or number of a group on this system"),
    Mistake(
      grant("users = [-1]"), "FILE:3:10: 'users[0]' is -1; expected the name or number of a user"),
    Mistake(
      grant("users = [4294967296]"),
      "FILE:3:10: 'users[0]' is 4294967296; expected the name or number of a user"),
    Mistake(
      grant("users = [\"nobody\"]\n" + random),
      "FILE:3:9: 'users' has the overflow id 65534, which may be anybody; expected users of this system"
    ),
    Mistake(
      grant("groups = [65534]\n" + random),
      "FILE:3:10: 'groups' has the overflow id 65534, which may be anybody; expected groups of this system"
    ),
    Mistake(
      grant("units = [\"é.service\"]\nusers = [1]\n" + random),
      "FILE:3:9: 'units' has a name that is not printable ASCII; expected such as \"acme-gateway.service\""
    ),
    Mistake(
      grant("executables = [\"bin/acme\"]"),
      "FILE:3:16: 'executables[0]' is \"bin/acme\"; expected a printable absolute path without '.', '..' or empty parts"
    ),
    Mistake(
      grant("executables = [\"/opt/é\"]\nusers = [1]\n" + random),
      "FILE:3:15: 'executables' has a path that is not printable ASCII; expected such as \"/usr/bin/acme-gateway\""
    ),
    Mistake(
      grant("operations = [\"open\"]"),
      "FILE:3:15: 'operations[0]' is \"open\"; expected \(operation)"),
    Mistake(
      grant("keys = [\"merchant/acme*\"]"),
      "FILE:3:9: 'keys[0]' is \"merchant/acme*\"; expected \(label)"),
    Mistake(
      grant("release = [\"pan\"]"),
      "FILE:3:12: 'release[0]' is \"pan\"; did you mean \"dpan\"? expected \(field)"),
    Mistake(
      grant("rate = \"100/day\"\n" + good),
      "FILE:3:8: 'rate' is \"100/day\"; expected a rate such as \"100/s\", \"600/m\" or \"20/h\", at most 1000000"
    ),
    // What makes no sense.
    Mistake(
      grant("users = []\n" + random),
      "FILE:3:9: 'users' is empty; expected one or more users, or no such key"),
    Mistake(
      grant("operations = []"),
      "FILE:3:14: 'operations' is empty; expected one or more operations, or no such key"),
    Mistake(
      grant("release = []\n" + good),
      "FILE:3:11: 'release' is empty; expected one or more fields, or no such key"),
    Mistake(
      grant("users = [\"acme\", 1001]"), "FILE:3:18: is listed twice in 'users'; expected once"),
    Mistake(
      grant("operations = [\"random\", \"random\"]"),
      "FILE:3:25: is listed twice in 'operations'; expected once"),
    Mistake(
      grant("users = [1]\noperations = [\"ping\"]"),
      "FILE:4:14: 'operations' has ping, which needs no grant; expected others"),
    Mistake(
      grant("users = [1]\noperations = [\"ready\"]"),
      "FILE:4:14: 'operations' has ready, which needs no grant; expected others"),
    Mistake(
      grant("users = [1]\noperations = [\"open-payment-token\"]"),
      "FILE:4:14: 'operations' has open-payment-token, which works with keys; expected 'keys' to name some"
    ),
    Mistake(
      grant("from = \"2026-12-01\"\nuntil = \"2026-12-01\"\n" + good),
      "FILE:4:9: 'until' is not after 'from', so the grant would never be in force; expected a later moment"
    ),
    Mistake(
      grant("users = [1]\nkey_quota = \"5/d\"\n" + random),
      "FILE:4:13: 'key_quota' counts uses of keys, but no operation of this grant works with one; expected 'quota'"
    ),
    Mistake(
      grant("users = [1]\nkeys = [\"a\"]\n" + random),
      "FILE:4:8: 'keys' names keys, but no operation of this grant works with one; expected none"),
    Mistake(
      grant("users = [1]\nrelease = [\"dpan\"]\n" + random),
      "FILE:4:11: 'release' names fields that no operation of this grant releases; expected fields with open-payment-token or open-envelope, dpan with detokenise or provision-pass, shared-secret with ecdh, derived-key with kdf"
    ),
    Mistake(
      grant("users = [1]\nkeys = [\"a\"]\nrelease = [\"last4\"]\noperations = [\"detokenise\"]"),
      "FILE:5:11: 'release' names fields that no operation of this grant releases; expected fields with open-payment-token or open-envelope, dpan with detokenise or provision-pass, shared-secret with ecdh, derived-key with kdf"
    ),
    Mistake(
      grant(
        "users = [1]\nkeys = [\"a\"]\nrelease = [\"last4\", \"envelope\"]\noperations = [\"open-payment-token\"]"
      ),
      "FILE:5:11: 'release' has envelope, and the grant does not say what is sealed into it; expected 'envelope' to name fields"
    ),
    Mistake(
      grant(
        "users = [1]\nkeys = [\"a\"]\nrelease = [\"last4\"]\nenvelope = [\"dpan\"]\noperations = [\"open-payment-token\"]"
      ),
      "FILE:6:12: 'envelope' names fields to seal, and the grant releases no envelope; expected 'release' to name envelope"
    ),
    Mistake(
      grant(
        "users = [1]\nkeys = [\"a\"]\nrelease = [\"envelope\"]\nenvelope = [\"raw\"]\noperations = [\"open-payment-token\"]"
      ),
      "FILE:6:13: 'envelope[0]' is \"raw\"; expected \(sealable)"),
    Mistake(
      grant("users = [1]\nkeys = [\"a\"]\nrelease = [\"raw\"]\noperations = [\"open-envelope\"]"),
      "FILE:5:11: 'release' names fields that no operation of this grant releases; expected fields with open-payment-token or open-envelope, dpan with detokenise or provision-pass, shared-secret with ecdh, derived-key with kdf"
    ),
    Mistake(
      grant("users = [1]\noperations = [\"audit-digest\"]"),
      "FILE:4:14: 'operations' has audit-digest, which lets a caller try or compare values; expected 'rate' or 'quota'"
    ),
    Mistake(
      grant("users = [1]\nkeys = [\"a\"]\noperations = [\"detokenise\"]"),
      "FILE:1:1: 'operations' has detokenise, which releases only a PAN; expected 'release' to name dpan"
    ),
    Mistake(
      grant(good) + grant(good), "FILE:8:6: 'id' is \"a\" as at FILE:2; expected an id of its own"),
  ]

  @Test(arguments: mistakes) func mistakesAreNamedWhereTheyStand(_ mistake: Mistake) {
    #expect(Schema.policy.complaint(about: mistake.text) == mistake.complaint)
  }

  @Test func aGrantIsReadWhole() throws {
    let text = """
      [[grant]]
      id = "all"
      users = ["acme", "root", 7]
      groups = ["clients", 8]
      units = ['a\\x2db.service']
      executables = ["/usr/bin/a b"]
      operations = ["open-payment-token", "list-keys"]
      keys = ["*", "merchant/acme/one"]
      release = ["raw", "dpan"]
      stages = true
      rate = "20/h"
      quota = "500/d"
      key_quota = "9000/w"
      from = "2026-12-01"
      until = "2027-12-01T09:30:00Z"
      hours = ["sat-sun 10:00-12:00", "mon-fri 08:00-18:00"]
      """
    let policy = try PolicyDirectory.locate(
      [.init(file: "FILE", text: Array(text.utf8))], accounts: accounts
    ).policy
    #expect(policy.rules.count == 1)
    #expect(
      policy.canonicalText == """
        # kist policy, canonical form 1

        [[grant]]
        id = "all"
        users = [0, 7, 1001]  # 0 root, 1001 acme
        groups = [8, 2001]  # 2001 clients
        units = ["a\\\\x2db.service"]
        executables = ["/usr/bin/a b"]
        operations = ["list-keys", "open-payment-token"]
        keys = ["*", "merchant/acme/one"]
        release = ["dpan", "raw"]
        stages = true
        rate = "20/h"
        quota = "500/d"
        key_quota = "9000/w"
        from = "2026-12-01T00:00:00Z"
        until = "2027-12-01T09:30:00Z"
        hours = ["mon-fri 08:00-18:00", "sat-sun 10:00-12:00"]

        """)
  }

  @Test func theCanonicalTextLoadsToThePolicyItShows() throws {
    let text =
      Self.grant(
        "stages = true\nrate = \"1/s\"\nquota = \"5/d\"\nkey_quota = \"6/w\"\nfrom = \"2026-12-01\"\nhours = [\"08:00-18:00\"]\n"
          + Self.good)
      + "[[grant]]\nid = \"b\"\nusers = [7]\nunits = ['\"\\']\noperations = [\"random\"]\n"
    let policy = try PolicyDirectory.locate(
      [.init(file: "FILE", text: Array(text.utf8))], accounts: accounts
    ).policy
    let nobodyKnown = Accounts(uid: { _ in nil }, gid: { _ in nil })
    let again = try PolicyDirectory.locate(
      [.init(file: "CANONICAL", text: Array(policy.canonicalText.utf8))], accounts: nobodyKnown
    ).policy
    #expect(again.rules == policy.rules)
  }

  @Test func filesCountInTheirOrder() throws {
    let first = Self.grant(Self.good)
    let second = "[[grant]]\nid = \"b\"\n" + Self.good
    let sources = [first, second].enumerated().map {
      PolicyDirectory.Source(file: "\($0.offset)", text: Array($0.element.utf8))
    }
    #expect(
      try PolicyDirectory.locate(sources, accounts: accounts).policy.rules.map(\.id) == ["a", "b"])
    #expect(
      try PolicyDirectory.locate(sources.reversed(), accounts: accounts).policy.rules.map(\.id) == [
        "b", "a",
      ])
    let clash = PolicyDirectory.Source(file: "other", text: Array(("\n" + first).utf8))
    #expect(
      throws: ConfigurationError(
        file: "other", position: SourcePosition(line: 3, column: 6),
        "'id' is \"a\" as at 0:2; expected an id of its own")
    ) {
      try PolicyDirectory.locate(sources + [clash], accounts: accounts).policy
    }
  }
}
