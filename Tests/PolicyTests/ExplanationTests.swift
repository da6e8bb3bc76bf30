import Format
import Policy
import Review
import Testing

@Suite struct ExplanationTests {
  private func words(
    _ policy: Policy, _ caller: Caller, _ opcode: Opcode = .openPaymentToken,
    _ label: String? = "merchant/acme/x"
  ) -> [String] {
    let explanation = policy.explain(caller, opcode, label: label, at: friday)
    return [explanation.summary]
      + explanation.nearMisses.flatMap { miss in
        miss.missing.map { "\(miss.rule.id): \(explanation.sentence($0, of: miss.rule))" }
      }
  }

  @Test func namesTheDecidingGrantAndWhomItOverrules() throws {
    let policy = try Policy([rule("a", users: [7]), rule("b"), rule("c", keys: ["*"])])
    let explanation = policy.explain(
      caller(), .openPaymentToken, label: "merchant/acme/x", at: friday)
    #expect(explanation.ruling == .allowed(policy.rules[1]))
    #expect(explanation.summary == "allowed by grant b")
    #expect(explanation.overruled.map(\.id) == ["c"])
    #expect(explanation.nearMisses.isEmpty)
  }

  @Test func saysWhatEachKindLacks() throws {
    let named = try Rule(
      id: "all",
      callers: CallerRule(
        users: [Principal(id: 1001, name: "acme"), Principal(id: 7)],
        groups: [Principal(id: 2001, name: "pay")], units: ["a.service"],
        executables: ["/bin/a", "/bin/b"]),
      operations: [.openPaymentToken, .verifyPaymentToken],
      keys: [.prefix("merchant/acme/"), .label("x")])
    let policy = try Policy([named])
    let denied = "denied: no grant covers this caller, operation and key together"
    #expect(
      words(policy, caller(1002, groups: [5])) == [
        denied, "all: user 1002 is not among 1001 acme, 7",
        "all: none of groups 100, 5 is among 2001 pay", "all: no unit is not among a.service",
        "all: no executable is not among /bin/a, /bin/b",
      ])
    let member = caller(groups: [2001], unit: "a.service", executable: "/bin/b")
    #expect(words(policy, member) == ["allowed by grant all"])
    #expect(
      words(policy, member, .openPaymentToken, "y") == [
        denied, "all: key y is not covered by merchant/acme/*, x",
      ])
    #expect(
      words(policy, member, .describeKey) == [
        denied, "all: operation describe-key is not among verify-payment-token, open-payment-token",
      ])
    #expect(
      words(policy, member, .openPaymentToken, nil) == [
        "denied: the operation needs a key, and there is no such key",
        "all: operation open-payment-token needs a key, and none is named",
      ])
    #expect(
      words(policy, caller(groups: [2001], unit: "b.service", executable: "/bin/c")) == [
        denied, "all: unit b.service is not among a.service",
        "all: executable /bin/c is not among /bin/a, /bin/b",
      ])
  }

  @Test func rootAndOverflow() throws {
    let policy = try Policy([rule(users: [], groups: [0])])
    #expect(words(policy, caller(0, gid: 0)).last == "acme: root is covered only if users names it")
    #expect(
      words(policy, caller(65_534)) == [
        "denied: the caller's user or group is 65534, the overflow id of a foreign user namespace"
      ])
  }

  @Test func onlyTheNearestAreNamed() throws {
    let policy = try Policy([
      rule("far", users: [7], keys: ["other"]), rule("near", users: [7]),
      rule("near-2", keys: ["other"]),
      rule("away", users: [7], operations: [.random], keys: []),
    ])
    #expect(
      policy.explain(caller(), .openPaymentToken, label: "merchant/acme/x", at: friday).nearMisses
        .map(\.rule.id) == ["near", "near-2"])
  }

  @Test func strangersAreNotNear() throws {
    let policy = try Policy([rule(users: [7])])
    #expect(policy.explain(caller(), .random, label: nil, at: friday).nearMisses.isEmpty)
  }
}
