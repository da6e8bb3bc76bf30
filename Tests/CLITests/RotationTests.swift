import Format
import KistClient
import Policy
import Testing

@testable import kist

/// Whether one key of a merchant's can take over from another, and when the other may go.
@Suite struct RotationTests {
  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let day: Int64 = 86_400

  /// - Parameters:
  ///   - end: in days from now.
  ///   - last: days ago.
  private static func key(
    _ id: UInt8, _ state: String = "active", merchant: String = "merchant.com.acme",
    role: String = "merchant-processing-ec", end: Int64? = 20,
    last: Int64? = nil, certified: Bool = true
  ) -> Key {
    var description = KeyDescription()
    description.id = [UInt8](repeating: id, count: 16)
    description.label = "merchant/acme/\(id)"
    description.role = role
    description.state = state
    description.merchantIdentifier = merchant
    description.checkValue = [UInt8](repeating: 0xCD, count: 32)
    description.certificate = certified ? [1] : []
    description.notAfter = end.map { UInt64(now.seconds + $0 * day) } ?? 0
    description.lastUse = last.map { UInt64(now.seconds - $0 * day) } ?? 0
    return Key(description)
  }

  private static let old = key(1)
  private static let new = key(2, "pre-active", end: 780)

  private func failing(_ old: Key, _ new: Key) -> [String] {
    Rotation(old, new, now: Self.now).checks.filter { !$0.isMet }.map(\.name)
  }

  @Test func aCertifiedKeyOfTheSameMerchantTakesOver() {
    #expect(failing(Self.old, Self.new) == [])
    #expect(failing(Self.old, Self.key(2, "active", end: nil)) == [])
  }

  @Test(arguments: [
    (old, "two keys of the same role and merchant"),
    (
      key(2, "pre-active", merchant: "merchant.com.other", end: 780),
      "two keys of the same role and merchant"
    ),
    (
      key(2, "pre-active", role: "merchant-identity-rsa", end: 780),
      "two keys of the same role and merchant"
    ),
    (key(2, "retired", end: 780), "the new key is active, or can be: retired"),
    (key(2, "compromised", end: 780), "the new key is active, or can be: compromised"),
    (key(2, "pre-active", end: 780, certified: false), "the new key has its certificate"),
    (
      key(2, "pre-active", end: 19),
      "the new key ends later: 2027-02-03, and the old one 2027-02-04"
    ),
    (key(2, "pre-active", end: -1), "the new key is not over"),
  ]) func whatSpeaksAgainstIt(_ new: Key, _ check: String) {
    #expect(failing(Self.old, new).contains(check))
  }

  @Test(arguments: ["pre-active", "retired", "compromised"]) func onlyAnActiveKeyIsChanged(
    _ state: String
  ) {
    #expect(failing(Self.key(1, state), Self.new) == ["the old key is active: \(state)"])
  }

  private func check(_ keys: [String]...) throws -> Rotation.Check {
    let rules = try keys.enumerated().map { number, keys in
      try Rule(
        id: "g\(number)", callers: CallerRule(users: [Principal(id: 1)]),
        operations: [.openPaymentToken], keys: keys.compactMap(KeyPattern.init),
        released: ReleasedFields([.dpan]))
    }
    return Rotation(Self.old, Self.new, now: Self.now).check(try Policy(rules))
  }

  @Test func policyCoversBothKeysOrNeither() throws {
    #expect(
      try check(["merchant/acme/*"], ["merchant/acme/1", "merchant/acme/2"], ["merchant/zeta/*"])
        .isMet)
    let behind = try check(
      ["merchant/acme/1"], ["merchant/acme/*"], ["merchant/zeta/*", "merchant/acme/1"])
    #expect(!behind.isMet && behind.name.hasSuffix("; not g0, g2"))
  }

  @Test(
    arguments: [
      (key(1, last: 8), key(2, last: 0), 7, nil), (key(1, last: nil), key(2, last: 0), 7, nil),
      (key(1, last: 0), key(2, last: 0), 0, nil),
      (
        key(1, last: 6), key(2, last: 0), 7,
        "merchant/acme/1 had a token 6 days ago; wait until it has been quiet for 7 days, or retire it now with --quiet 0"
      ),
      (
        key(1, last: 0), key(2, last: 0), 7,
        "merchant/acme/1 had a token in the last 24 hours; wait until it has been quiet for 7 days, or retire it now with --quiet 0"
      ),
      (
        key(1, last: 90), key(2, last: nil), 0,
        "no token has come under merchant/acme/2 yet: is its certificate active at Apple?"
      ),
      (
        key(1, last: 90), key(2, "pre-active", last: nil), 0,
        "merchant/acme/2 is pre-active: without merchant/acme/1 the merchant has no key"
      ),
      (
        key(1, last: 90), key(2, merchant: "merchant.com.other", last: 0), 0,
        "merchant/acme/1 (merchant-processing-ec of merchant.com.acme) and merchant/acme/2 (merchant-processing-ec of merchant.com.other)"
          + " are not two keys of the same role and merchant"
      ),
      (
        key(1, "retired", last: 90), key(2, last: 0), 0,
        "merchant/acme/1 is retired: there is nothing to retire"
      ),
      (
        key(1, last: 1), key(2, last: 0), 2,
        "merchant/acme/1 had a token 1 day ago; wait until it has been quiet for 2 days, or retire it now with --quiet 0"
      ),
    ] as [(Key, Key, Int64, String?)]) func theOldKeyGoesWhenItIsQuiet(
      _ old: Key, _ new: Key, _ days: Int64, _ objection: String?
    )
  {
    #expect(Rotation(old, new, now: Self.now).objection(quietDays: days) == objection)
  }

  @Test(
    arguments: [
      (nil, [false, false, false, false, false, false, false]),
      (key(2, "pre-active", certified: false), [true, false, false, false, false, false, false]),
      (new, [true, true, true, false, false, false, false]),
      (key(2, end: 780), [true, true, true, true, true, false, false]),
      (key(2, end: 780, last: 1), [true, true, true, true, true, true, false]),
    ] as [(Key?, [Bool])]) func thePlanKnowsWhatIsDone(_ new: Key?, _ done: [Bool])
  {
    let plan = RotationPlan(Self.old, new, named: "merchant/acme/2", now: Self.now)
    #expect(plan.steps.map(\.isDone) == done)
    #expect(plan.text.contains("kist key rotate preflight merchant/acme/1 merchant/acme/2"))
  }

  @Test(arguments: [
    ("pre-active", false), ("active", false), ("retired", true), ("compromised", true),
  ])
  func anOldKeyThatWasNeverInUseIsNotRetired(_ state: String, _ done: Bool) {
    let plan = RotationPlan(Self.key(1, state), Self.new, named: "merchant/acme/2", now: Self.now)
    #expect(plan.steps.last?.isDone == done)
  }

  @Test func oneKeyIsNoPair() {
    #expect(
      Rotation(Self.old, Self.old, now: Self.now).mismatch == "OLD and NEW are both merchant/acme/1"
    )
    #expect(Rotation(Self.old, Self.new, now: Self.now).mismatch == nil)
  }

  /// A person who reads that a check fails reads what to do, and one who reads that it is met reads
  /// nothing more.
  @Test func whatFailsSaysWhatToDo() {
    let texts = Rotation(
      Self.old, Self.key(2, "pre-active", end: nil, certified: false), now: Self.now
    ).checks.map(\.text)
    #expect(
      texts.contains(
        "FAILS  the new key has its certificate\n       kist key csr merchant/acme/2, and kist key attach merchant/acme/2 FILE with the certificate that Apple makes\n"
      ))
    #expect(texts.contains("ok     the new key ends later: never, and the old one 2027-02-04\n"))
  }

  @Test func keysInUseThatEndSoonAreListedFirstFirst() {
    let keys = [
      Self.key(1, end: 29), Self.key(2, end: 31), Self.key(3, "retired", end: 1),
      Self.key(4, "pre-active", end: -3), Self.key(5, end: nil),
    ]
    #expect(keys.ending(at: Self.now).map(\.label) == ["merchant/acme/4", "merchant/acme/1"])
  }

  @Test(
    arguments: [
      (["swap", "a", "b"], 1), (["plan", "a"], 2), (["retire", "a", "b", "--quiet", "400"], 2),
      (["retire", "a", "b", "--quiet", "-1"], 2),
    ] as [([String], Int32)]) func whatMakesNoSense(_ words: [String], _ code: Int32) throws
  {
    #expect(try Kist.run(["key", "rotate"] + words + ["--socket", "/nowhere.sock"]).code == code)
  }
}
