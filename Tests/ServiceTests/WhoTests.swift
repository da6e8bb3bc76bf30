import Format
import Policy
import ServiceHarness
import Testing

/// What the daemon says of the caller's own rights.
@Suite struct WhoTests {
  private func rule(
    _ id: String, _ operations: Set<Opcode> = [.who], users: [UInt32] = [TestService.caller.uid],
    keys: [String] = [], hours: Int = 0
  ) throws
    -> Rule
  {
    try Rule(
      id: id, callers: CallerRule(users: users.map { Principal(id: $0) }), operations: operations,
      keys: keys.compactMap(KeyPattern.init),
      validity: Validity(hours: (0..<hours).compactMap { WeeklyHours("00:00-23:\($0 + 10)") }))
  }

  private func ask(_ grants: [Rule]) throws -> WhoReply {
    let test = try TestService(grants: grants)
    try test.unlock()
    let answer = try test.call(.who)
    try #require(answer.header.status == .ok)
    let body = answer.body.span
    return try WhoReply(MessageReader(body))
  }

  @Test func onlyTheCallersOwn() throws {
    let reply = try ask([
      rule("a"), rule("b", users: [1, 2]), rule("c", [.openPaymentToken], keys: ["m/*"]),
    ])
    #expect(
      (reply.uid, reply.gid, reply.unit, reply.more) == (
        TestService.caller.uid, TestService.caller.gid, "", false
      ))
    #expect(reply.rights.map(\.grant) == ["a", "c"])
    #expect(reply.rights[1].keys == ["m/*"])
    #expect(reply.rights[1].operations == ["open-payment-token"])
  }

  @Test func whatDoesNotFitIsLeftOut() throws {
    let many = try (0..<25).map { try rule("g\($0)") }
    #expect(try ask(Array(many.prefix(24))).more == false)
    #expect(try ask(many).more)
    #expect(try ask(many).rights.count == 24)
    let keys = (0..<100).map { "merchant/" + String(repeating: "x", count: 100) + "\($0)" }
    let cut = try ask([
      rule("a", [.who, .openPaymentToken], keys: keys), rule("b", [.openPaymentToken], keys: keys),
    ])
    #expect(cut.rights.map(\.keys.count) == [100, 28])
    #expect(cut.more)
    #expect(try ask([rule("a", hours: 17)]).rights.map(\.hours.count) == [16])
    #expect(try ask([rule("a", hours: 17)]).more)
  }

  /// The most there can be of everything at once.
  @Test func theLargestReplyFits() throws {
    let operations = Set(Opcode.grantable)
    let keys = (0..<128).map { "k" + String(repeating: "x", count: 120) + "\($0)" }
    let largest = try (0..<24).map { number in
      try Rule(
        id: String(repeating: "g", count: 60) + "\(number)",
        callers: CallerRule(users: [Principal(id: TestService.caller.uid)]), operations: operations,
        keys: keys.compactMap(KeyPattern.init), released: .nameable, sealed: .sealable,
        secrets: ReleasedSecrets(ReleasedSecret.allCases),
        showsStage: true, rate: Rate("1000000/h"), quota: Quota("1000000000/d"),
        keyQuota: Quota("1000000000/w"),
        validity: Validity(
          until: TestService.start.adding(seconds: 86_400),
          hours: (0..<16).compactMap { WeeklyHours("mon-sun 00:00-23:\($0 + 10)") }))
    }
    let reply = try ask(largest)
    #expect(reply.rights.count == 24)
    #expect(reply.more)
    #expect(reply.rights[0].operations.count == operations.count)
  }

  @Test func withoutAGrantItIsDenied() throws {
    let test = try TestService(grants: [rule("a", [.describe])])
    try test.unlock()
    #expect(try test.status(.who) == .denied)
  }
}
