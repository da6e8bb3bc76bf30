import Configuration
import Format
import Policy
import Review
import TestSupport
import Testing

@Suite("What one policy gives that another does not")
struct PolicyChangeTests {
  private func policy(_ grants: String...) throws -> Policy {
    let text = grants.map { "[[grant]]\n\($0)\n" }.joined()
    return try PolicyDirectory.locate(
      [.init(file: "FILE", text: Array(text.utf8))],
      accounts: Accounts(uid: { _ in nil }, gid: { _ in nil })
    ).policy
  }

  private func words(_ old: Policy, _ new: Policy) throws -> [String] {
    try PolicyChange.all(from: old, to: new, around: Universe.friday).map {
      "\($0.who) \($0.verb) \($0.what): \($0.details.joined(separator: "; "))"
    }
  }

  private let acme =
    "id = \"acme\"\nusers = [1]\noperations = [\"open-payment-token\"]\nkeys = [\"m/*\"]\nrelease = [\"last4\"]"

  @Test("is nothing where grants were only renamed, moved, split or made redundant")
  func same() throws {
    let other = "id = \"b\"\ngroups = [10]\noperations = [\"random\"]"
    let old = try policy(acme, other)
    let renamed = try policy(other, acme.replacing("acme", with: "new"))
    #expect(try words(old, renamed) == [])
    #expect(try words(old, old) == [])
    let users = "id = \"two\"\nusers = [1, 2]\noperations = [\"random\", \"describe\"]"
    let split = try policy(
      "id = \"x\"\nusers = [1]\noperations = [\"random\", \"describe\"]",
      "id = \"y\"\nusers = [2]\noperations = [\"describe\", \"random\"]")
    #expect(try words(try policy(users), split) == [])
    #expect(try words(old, try policy(acme, other, acme.replacing("acme", with: "again"))) == [])
  }

  @Test("says who gains and loses what")
  func gainsAndLosses() throws {
    #expect(
      try words(.empty, try policy(acme)) == [
        "user 1 gains open-payment-token with m/*: by grant acme; releases last4"
      ])
    #expect(
      try words(try policy(acme), .empty) == [
        "user 1 loses open-payment-token with m/*: it had grant acme"
      ])
    let old = try policy(acme)
    let new = try policy(acme.replacing("m/*", with: "m/a"))
    #expect(try words(old, new) == ["user 1 loses open-payment-token with m/*: it had grant acme"])
    #expect(
      try words(new, old) == [
        "user 1 gains open-payment-token with m/*: by grant acme; releases last4"
      ])
  }

  @Test("says which terms change")
  func terms() throws {
    let more =
      acme.replacing("[\"last4\"]", with: "[\"dpan\"]")
      + "\nstages = true\napproval = true\nrate = \"5/s\"\nquota = \"9/d\""
    #expect(
      try words(try policy(acme), try policy(more)) == [
        "user 1 keeps open-payment-token with m/*: now by grant acme; releases dpan too; no longer releases last4; shows stages; needs an approval; rate 5/s instead of unlimited; quota 9/d instead of unlimited"
      ])
    let listing = "id = \"l\"\nusers = [1]\noperations = [\"list-keys\"]\nkeys = [\"m/*\"]"
    #expect(
      try words(try policy(listing), try policy(listing.replacing("m/*", with: "*"))) == [
        "user 1 gains list-keys with *: by grant l"
      ])
    // A listing shows the keys of both.
    let other = listing.replacing("\"l\"", with: "\"n\"").replacing("m/*", with: "n/a")
    #expect(
      try words(try policy(listing), try policy(listing, other)) == [
        "user 1 gains list-keys with n/a: by grant n"
      ])
    #expect(try words(try policy(listing, other), try policy(other, listing)).isEmpty)
  }

  @Test("sees the order of grants where callers are of two of them")
  func order() throws {
    let group =
      "id = \"group\"\ngroups = [10]\noperations = [\"open-payment-token\"]\nkeys = [\"m/*\"]\nrelease = [\"dpan\"]"
    #expect(
      try words(try policy(acme, group), try policy(group, acme)) == [
        "user 1 in group 10 keeps open-payment-token with m/*: now by grant group; releases dpan too; no longer releases last4"
      ])
  }

  @Test("says since when, where it is not at all times")
  func time() throws {
    let limited = acme + "\nuntil = \"2026-12-01\""
    #expect(
      try words(try policy(acme), try policy(limited)) == [
        "user 1 loses open-payment-token with m/*: it had grant acme; not at all times, but at 2026-12-01T00:00:00Z"
      ])
  }

  @Test(
    "is said once: one that a wider caller has at all times, and one that several grants make, each at its hours"
  )
  func once() throws {
    let shop =
      "id = \"shop\"\nusers = [1]\ngroups = [10]\noperations = [\"open-payment-token\"]\nkeys = [\"m/a\"]\nrelease = [\"last4\"]\nhours = [\"mon-fri 08:00-18:00\"]"
    let all =
      "id = \"all\"\ngroups = [10]\noperations = [\"open-payment-token\"]\nkeys = [\"m/*\"]\nrelease = [\"last4\"]"
    func more(_ grant: String) -> String {
      grant.replacing("[\"last4\"]", with: "[\"last4\", \"dpan\"]")
    }
    let old = try policy(shop, all)
    let new = try policy(more(shop), more(all))
    #expect(
      try words(old, new) == [
        "anybody in group 10 keeps open-payment-token with m/*: now by grant all; releases dpan too"
      ])
    #expect(
      try words(new, old) == [
        "anybody in group 10 keeps open-payment-token with m/*: now by grant all; no longer releases dpan"
      ])

    let narrow = all.replacing("id = \"all\"", with: "id = \"own\"\nusers = [1]").replacing(
      "m/*", with: "m/a")
    let before = try policy(shop, narrow)
    let after = try policy(more(shop), more(narrow))
    #expect(
      try words(before, after) == [
        "user 1 in group 10 keeps open-payment-token with m/a: now by grants shop, own; releases dpan too"
      ])
    // What changes at some hours only is not what a wider caller's change at all times says.
    #expect(try words(before, try policy(more(shop), narrow)).count == 1)
    #expect(try words(old, try policy(more(shop), all)) != [])
  }

  @Test("is all there is: against every request of a small world", arguments: [false, true])
  func completeness(_ timed: Bool) throws {
    var random = SplitMix64(seed: timed ? 11 : 7)
    var same = 0
    var changed = 0
    let times = timed ? Universe.times : [Universe.friday]
    let questions = Universe.questions(at: times)
    for round in 0..<(timed ? 3 : 30) {
      let old = try Universe.policy(&random, count: round % 5, timed: timed)
      // Now and then the two differ in their order alone.
      let new =
        round % 3 == 0
        ? try Policy(old.rules.reversed())
        : try Universe.policy(&random, count: (round + 1) % 5, timed: timed)
      let changes = try PolicyChange.all(from: old, to: new, around: Universe.friday)
      for question in questions {
        let before = old.answer(question)
        let after = new.answer(question)
        guard let effect = PolicyChange.Effect(from: before, to: after) else { continue }
        let reported = changes.contains { $0.covers(question) && $0.effect == effect }
        #expect(reported, "\(question): \(effect)")
        if !reported { return }
      }
      if changes.isEmpty { same += 1 } else { changed += 1 }
      for change in changes where change.example == nil && !timed {
        #expect(
          questions.contains {
            change.covers($0)
              && PolicyChange.Effect(from: old.answer($0), to: new.answer($0)) == change.effect
          })
      }
    }
    #expect(same > 0 && changed > 0)
  }

  @Test("gives up before it takes for ever")
  func limit() throws {
    let users = (1...1500).map(String.init).joined(separator: ", ")
    let groups = (1...1500).map(String.init).joined(separator: ", ")
    let old = try policy("id = \"a\"\nusers = [\(users)]\noperations = [\"random\"]")
    let new = try policy(
      "id = \"b\"\ngroups = [\(groups)]\noperations = [\"random\"]\nstages = true")
    #expect(throws: PolicyChange.TooMany.self) {
      try PolicyChange.all(from: old, to: new, around: Universe.friday)
    }
  }
}

extension PolicyChange {
  /// Whether it is about this request, too.
  fileprivate func covers(_ question: Question) -> Bool {
    guard opcode == question.opcode, who.user == nil || who.user?.id == question.caller.uid,
      who.user != nil || question.caller.uid != 0
    else { return false }
    guard who.groups.allSatisfy({ question.caller.groups.contains($0.id) }),
      who.unit == nil || who.unit == question.caller.unit
    else { return false }
    guard let label = question.label else { return key == nil }
    return key?.covers(label) ?? false
  }
}
