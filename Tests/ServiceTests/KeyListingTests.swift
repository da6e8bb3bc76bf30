import Audit
import Format
import KistClient
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

/// [OP-LIST-1] [OP-LIST-2] Which keys a caller may list, and finds by label.
@Suite struct KeyListingTests {
  private static let labels = [
    "issuer/one", "merchant/acme/a", "merchant/acme/b", "merchant/zeta/a", "top",
  ]
  private let test: TestService

  init() throws {
    func rule(
      _ id: String, _ operations: Set<Opcode>, _ keys: [String],
      uid: UInt32 = TestService.caller.uid, _ validity: Validity = .always
    ) throws -> Rule {
      try Rule(
        id: id, callers: CallerRule(users: [Principal(id: uid)]), operations: operations,
        keys: keys.compactMap(KeyPattern.init), validity: validity)
    }
    test = try TestService(grants: [
      Rule(
        id: "generating", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
        operations: [.generateKey],
        keys: [KeyPattern("*")].compactMap { $0 }),
      rule("first", [.listKeys], ["merchant/acme/a"]),
      rule("second", [.listKeys, .mac], ["merchant/*"]), rule("using", [.mac], ["issuer/*"]),
      rule("over", [.listKeys], ["top"], Validity(until: TestService.start)),
      rule("other", [.listKeys], ["*"], uid: 4242),
    ])
    try test.unlock()
    for label in Self.labels { _ = try test.generateKey(label) }
  }

  private func listed(_ request: ListKeysRequest, uid: UInt32 = TestService.caller.uid) throws -> (
    status: Status, labels: [String]
  ) {
    let body = try written(atMost: 512) { try request.encode(into: &$0) }
    let caller = Caller(uid: uid, gid: 100, groups: [], pid: 42)
    let reply = try test.call(.listKeys, body: body, from: caller)
    guard reply.header.status == .ok else { return (reply.header.status, []) }
    return (.ok, try ListKeysReply(MessageReader(reply.body.span)).keys.map(\.label))
  }

  @Test("those of every grant of list-keys in force for the caller, and of no other")
  func everyGrant() throws {
    #expect(
      try listed(ListKeysRequest()).labels == [
        "merchant/acme/a", "merchant/acme/b", "merchant/zeta/a",
      ])
    #expect(
      try listed(ListKeysRequest(), uid: 4242).labels.filter { !$0.hasPrefix("audit/") }
        == Self.labels)
    #expect(try test.lastRecord()?.policy?.grant == "other")
    #expect(try listed(ListKeysRequest(), uid: 4243).status == .denied)
  }

  @Test(
    "those that a pattern covers, as policy would",
    arguments: [
      ("merchant/acme/*", ["merchant/acme/a", "merchant/acme/b"]),
      ("merchant/zeta/a", ["merchant/zeta/a"]), ("merchant/zeta", []), ("top", []),
      ("issuer/*", []),
      ("*", ["merchant/acme/a", "merchant/acme/b", "merchant/zeta/a"]),
    ])
  func pattern(_ pattern: String, _ expected: [String]) throws {
    #expect(try listed(ListKeysRequest(pattern: pattern)) == (.ok, expected))
  }

  @Test("pattern, prefix and page go together") func together() throws {
    #expect(
      try listed(ListKeysRequest(prefix: "merchant/acme/b", pattern: "merchant/*")).labels == [
        "merchant/acme/b"
      ])
    #expect(
      try listed(ListKeysRequest(after: "merchant/acme/a", pattern: "merchant/acme/*")).labels == [
        "merchant/acme/b"
      ])
  }

  @Test(
    "a text that is no pattern is rejected",
    arguments: ["merchant/*/a", "merchant/a*", "/", "a//b", "../a", "caf\u{e9}", "a b"])
  func noPattern(_ text: String) throws {
    #expect(try listed(ListKeysRequest(pattern: text)).status == .rejected)
    #expect(try test.lastRecord()?.stage == "format")
  }
}
