import Configuration
import Format
import Policy
import Review
import Testing

@Suite("Cases of a policy")
struct PolicyCaseTests {
  private static let accounts = Accounts(
    uid: { ["acme": 1001][$0] }, gid: { ["clients": 2001][$0] },
    groups: { $0 == "acme" ? [100, 2001] : nil }, userName: { $0 == 1001 ? "acme" : nil })

  private static let policy = """
    [[grant]]
    id = "shop"
    users = ["acme"]
    operations = ["open-payment-token"]
    keys = ["m/*"]
    release = ["last4", "network"]
    hours = ["mon-fri 08:00-18:00"]
    [[grant]]
    id = "clients"
    groups = ["clients"]
    operations = ["random"]
    """

  private func complaints(_ cases: String) throws -> [String?] {
    let policy = try PolicyDirectory.locate(
      [.init(file: "P", text: Array(Self.policy.utf8))], accounts: Self.accounts
    ).policy
    return try PolicyCase.decode(
      Array(cases.utf8), file: "FILE", accounts: Self.accounts, now: Universe.friday
    ).map { $0.complaint(about: policy) }
  }

  private static let shop =
    "[[case]]\nuser = \"acme\"\noperation = \"open-payment-token\"\nkey = \"m/a\"\n"
  private static let random = "[[case]]\nuser = \"acme\"\noperation = \"random\"\n"

  private static let results: [(String, String?)] = [
    (shop + "grant = \"shop\"", nil),
    (shop + "grant = \"shop\"\nrelease = [\"network\", \"last4\"]", nil),
    (
      shop + "grant = \"shop\"\nrelease = [\"last4\"]",
      "expected to release last4, releases last4, network"
    ),
    (
      shop + "grant = \"shop\"\nrelease = []",
      "expected to release nothing, releases last4, network"
    ),
    (shop + "grant = \"clients\"", "expected grant clients, is allowed by grant shop"),
    (shop + "denied = true", "expected denied, is allowed by grant shop"),
    (shop + "denied = true\nat = \"2026-11-21\"", nil),
    (
      shop + "grant = \"shop\"\nat = \"2026-11-21\"",
      "expected grant shop, is denied: no grant covers this caller, operation and key together"
    ),
    (random + "grant = \"clients\"", nil),
    (random.replacing("\"acme\"", with: "1001") + "grant = \"clients\"", nil),
    (random.replacing("\"acme\"", with: "7") + "groups = [7, 2001]\ngrant = \"clients\"", nil),
    (random.replacing("\"acme\"", with: "7") + "groups = [7]\ndenied = true", nil),
  ]

  @Test("are good or bad", arguments: results)
  func result(_ text: String, _ complaint: String?) throws {
    #expect(try complaints(text) == [complaint])
  }

  private static let mistakes: [(String, String)] = [
    (random, "FILE:1:1: the case expects nothing; expected 'grant' or 'denied = true'"),
    (
      random + "grant = \"a\"\ndenied = true",
      "FILE:1:1: the case expects two things; expected one of 'grant' and 'denied'"
    ),
    (
      random + "denied = false",
      "FILE:4:10: 'denied' is false; expected true, or 'grant' in its place"
    ),
    (
      random + "denied = true\nrelease = []",
      "FILE:5:11: 'release' goes with 'grant'; expected none where the case is denied"
    ),
    (
      random.replacing("acme", with: "ghost"),
      "FILE:2:8: unknown user \"ghost\"; expected the name or number of a user on this system"
    ),
    (
      random.replacing("\"acme\"", with: "7") + "denied = true",
      "FILE:1:1: the groups of user 7 are not known; expected 'groups', the primary one first"
    ),
    (
      "[[case]]\noperation = \"random\"\ndenied = true",
      "FILE:1:1: 'user' is missing; expected the caller's user, by name or number"
    ),
    (
      "[[case]]\nuser = \"acme\"\ndenied = true",
      "FILE:1:1: 'operation' is missing; expected the operation that is asked for"
    ),
    (
      "[[cases]]\nuser = \"acme\"",
      "FILE:1:3: unknown key 'cases' (did you mean 'case'?); expected one of case"
    ),
  ]

  @Test("are refused where they make no sense", arguments: mistakes)
  func mistake(_ text: String, _ message: String) {
    let error = #expect(throws: ConfigurationError.self) { try complaints(text) }
    #expect(error?.description == message)
  }

  @Test("name a misspelt key")
  func unknownKey() {
    let error = #expect(throws: ConfigurationError.self) {
      try complaints(Self.random + "granted = \"a\"")
    }
    #expect(
      error?.description.hasPrefix(
        "FILE:4:1: unknown key 'granted' (did you mean 'grant'?); expected one of at, denied, ")
        == true)
  }
}
