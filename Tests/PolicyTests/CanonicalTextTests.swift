import Format
import Policy
import Testing

@Suite struct CanonicalTextTests {
  @Test func snapshot() throws {
    let full = try Rule(
      id: "acme-authoriser",
      callers: CallerRule(
        users: [
          Principal(id: 1002, name: "beta"), Principal(id: 1001, name: "alpha"), Principal(id: 7),
        ], groups: [Principal(id: 9), Principal(id: 3)],
        units: ["b.service", "a\\x2db.service"], executables: ["/usr/bin/b", "/usr/bin/\"a"]),
      operations: [.openPaymentToken, .listKeys],
      keys: [.prefix(""), .prefix("b/"), .label("b"), .label("a/c")],
      released: ReleasedFields([.raw, .dpan, .last4]), showsStage: true, rate: Rate("600/m"),
      needsApproval: true)
    #expect(
      try Policy([full, rule("a", operations: [.random], keys: [])]).canonicalText == """
        # kist policy, canonical form 1

        [[grant]]
        id = "acme-authoriser"
        users = [7, 1001, 1002]  # 1001 alpha, 1002 beta
        groups = [3, 9]
        units = ["a\\\\x2db.service", "b.service"]
        executables = ["/usr/bin/\\"a", "/usr/bin/b"]
        operations = ["list-keys", "open-payment-token"]
        keys = ["*", "a/c", "b", "b/*"]
        release = ["dpan", "last4", "raw"]
        stages = true
        approval = true
        rate = "600/m"

        [[grant]]
        id = "a"
        users = [1001]
        operations = ["random"]

        """)
  }

  @Test func anAccountsNameEndsNoComment() throws {
    let odd = try Rule(
      id: "a", callers: CallerRule(users: [Principal(id: 1, name: "a\n[[grant]]\u{1}")]),
      operations: [.random])
    #expect(
      try Policy([odd]).canonicalText.contains(
        "users = [1]  # 1 a\\u{a}[[grant]]\\u{1}\noperations"))
  }

  @Test func emptyPolicy() {
    #expect(
      Policy.empty.canonicalText
        == "# kist policy, canonical form 1\n# no grants: everything is denied\n")
  }

  @Test func orderWithinAListDoesNotShowAndOrderOfGrantsDoes() throws {
    let a = try rule("a", users: [1, 2], keys: ["x", "y"])
    let b = try rule("b")
    #expect(
      try Policy([a, b]).canonicalText
        == Policy([rule("a", users: [2, 1], keys: ["y", "x"]), b]).canonicalText)
    #expect(try Policy([a, b]).canonicalText != Policy([b, a]).canonicalText)
  }
}
