import Configuration
import Format
import Policy
import TestSupport
import Testing
@testable import Review

@Suite("What is odd about a grant")
struct GrantFindingTests {
  private func findings(_ grants: String..., tellsProcesses: Bool = true) throws -> [GrantFinding] {
    let text = grants.map { "[[grant]]\n\($0)\n" }.joined()
    let policy = try PolicyDirectory.locate(
      [.init(file: "FILE", text: Array(text.utf8))],
      accounts: Accounts(uid: { _ in nil }, gid: { _ in nil })
    ).policy
    return GrantFinding.all(in: policy, around: Universe.friday, tellsProcesses: tellsProcesses)
  }

  private let narrow =
    "id = \"narrow\"\nusers = [1]\noperations = [\"open-payment-token\"]\nkeys = [\"m/a\"]\nrelease = [\"last4\"]"
  private let wide =
    "id = \"wide\"\nusers = [1]\noperations = [\"open-payment-token\"]\nkeys = [\"m/*\"]\nrelease = [\"dpan\"]"

  @Test("is nothing where the narrow one comes first")
  func ordered() throws {
    #expect(try findings(narrow, wide).isEmpty)
    #expect(try findings(narrow).isEmpty)
    #expect(try findings().isEmpty)
  }

  @Test("is that it makes operators of a group")
  func operatorsByGroup() throws {
    #expect(
      try findings("id = \"a\"\ngroups = [10]\noperations = [\"unlock\", \"random\"]").map(\.kind)
        == [.operatorsByGroup])
    #expect(try findings("id = \"a\"\ngroups = [10]\noperations = [\"random\"]").isEmpty)
    #expect(
      try findings("id = \"a\"\nusers = [1]\ngroups = [10]\noperations = [\"unlock\"]").isEmpty)
  }

  @Test(
    "is that the kernel tells neither units nor executables",
    arguments: ["units = [\"a.service\"]", "executables = [\"/a\"]"])
  func needsProcess(_ condition: String) throws {
    let grant = "id = \"a\"\nusers = [1]\n\(condition)\noperations = [\"random\"]"
    #expect(try findings(grant, tellsProcesses: false).map(\.kind) == [.needsProcess])
    #expect(try findings(grant).isEmpty)
    #expect(
      try findings("id = \"b\"\nusers = [1]\noperations = [\"random\"]", tellsProcesses: false)
        .isEmpty)
  }

  @Test("is that nothing reaches it behind a wider one, or behind several together")
  func unreachable() throws {
    #expect(try findings(wide, narrow).map(\.kind) == [.unreachable(by: ["wide"])])
    let both = "id = \"both\"\nusers = [1, 2]\noperations = [\"random\"]"
    let one = "id = \"one\"\nusers = [1]\noperations = [\"random\"]"
    let two = "id = \"two\"\nusers = [2]\noperations = [\"random\"]"
    #expect(try findings(one, two, both).map(\.kind) == [.unreachable(by: ["one", "two"])])
    #expect(try findings(one, both, two).map(\.kind) == [.unreachable(by: ["both"])])
    #expect(try findings(one, two).isEmpty)
    let group = "id = \"group\"\nusers = [1]\ngroups = [10]\noperations = [\"random\"]"
    #expect(try findings(group, one).isEmpty)
    #expect(try findings(one, group).map(\.grant) == ["group"])
  }

  @Test("[OP-LIST-1] is nothing where it adds keys to those that an earlier one lists")
  func listing() throws {
    func lister(_ id: String, _ key: String, _ more: String = "") -> String {
      "id = \"\(id)\"\nusers = [1]\noperations = [\"list-keys\"]\nkeys = [\"\(key)\"]\n\(more)"
    }
    #expect(try findings(lister("one", "m/a"), lister("two", "m/*")).isEmpty)
    #expect(
      try findings(lister("one", "m/*"), lister("two", "m/a")).map(\.kind) == [
        .unreachable(by: ["one"])
      ])
    #expect(
      try findings(lister("one", "m/a"), lister("two", "m/b"), lister("again", "m/b")).map(\.grant)
        == ["again"])
    // How often is for the first to say.
    let limited = try findings(lister("one", "m/a"), lister("two", "m/b", "rate = \"1/s\""))
    let why = GrantFinding.Overruled(
      example: "list-keys for user 1", difference: ["rate 1/s instead of unlimited"])
    #expect(limited.map(\.kind) == [.overruled(by: "one", why)])
  }

  @Test("is that an earlier one decides an entry of it on other terms")
  func overruled() throws {
    let two = wide.replacing("\"m/*\"", with: "\"m/a\", \"m/b\"")
    let found = try findings(narrow, two)
    #expect(found.map(\.number) == [1])
    #expect(
      found.map(\.kind) == [
        .overruled(
          by: "narrow",
          .init(
            example: "open-payment-token with m/a for user 1",
            difference: ["releases dpan too", "no longer releases last4"]))
      ])
    #expect(try findings(narrow, two.replacing("dpan", with: "last4")).isEmpty)
  }

  @Test("takes dates and hours into account")
  func time() throws {
    let day =
      "id = \"day\"\nusers = [1]\noperations = [\"random\"]\nhours = [\"mon-fri 08:00-18:00\"]"
    let always = "id = \"always\"\nusers = [1]\noperations = [\"random\"]"
    #expect(try findings(day, always).isEmpty)
    #expect(try findings(always, day).map(\.kind) == [.unreachable(by: ["always"])])
    let ended = always.replacing("always", with: "ended") + "\nuntil = \"2026-12-01\""
    let begins = always.replacing("always", with: "begins") + "\nfrom = \"2026-12-01\""
    #expect(
      try findings(ended, begins, always).map(\.kind) == [.unreachable(by: ["ended", "begins"])])
    let later = begins.replacing("2026-12-01", with: "2026-12-01T00:00:01Z")
    #expect(try findings(ended, later, always).isEmpty)
    // The 2nd of December 2026 is a Wednesday.
    let never =
      always + "\nfrom = \"2026-12-02\"\nuntil = \"2026-12-03\"\nhours = [\"mon-tue 00:00-24:00\"]"
    #expect(try findings(never).map(\.kind) == [.neverInForce])
    #expect(try findings(never.replacing("mon-tue", with: "mon-wed")).isEmpty)
  }

  @Test(
    "names as unreachable just those that decide nothing in a small world",
    arguments: [false, true])
  func completeness(_ timed: Bool) throws {
    var random = SplitMix64(seed: timed ? 3 : 2)
    let times = timed ? Universe.times : [Universe.friday]
    let questions = Universe.questions(at: times)
    var count = 0
    for _ in 0..<(timed ? 2 : 25) {
      let policy = try Universe.policy(&random, count: timed ? 24 : 8, timed: timed)
      let deciding = Set(
        questions.compactMap { question -> String? in
          guard case .allowed(let grant, _) = policy.answer(question) else { return nil }
          return grant
        })
      let unreachable = Set(
        GrantFinding.all(in: policy, around: Universe.friday).compactMap { finding -> String? in
          switch finding.kind {
          case .unreachable, .neverInForce: finding.grant
          case .overruled, .operatorsByGroup, .needsProcess: nil
          }
        })
      #expect(unreachable == Set(policy.rules.map(\.id)).subtracting(deciding))
      count += unreachable.count
    }
    #expect(count > 0)
  }
}
