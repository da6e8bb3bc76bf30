import Format
import Policy
import Testing

@Suite struct RateTests {
  @Test(arguments: ["1/s", "100/s", "6000/m", "1000000/h"]) func takes(_ text: String) {
    #expect(Rate(text)?.description == text)
  }

  @Test(arguments: [
    "", "/s", "0/s", "01/s", "-1/s", "+1/s", "1", "1/", "1/d", "1/ms", "1/S", "1 /s", "1.5/s",
    "1000001/s", "99999999999999999999/s", "1/s/s", "１/s",
  ])
  func refuses(_ text: String) {
    #expect(Rate(text) == nil)
  }

  private func take(
    _ limiter: RateLimiter, _ grant: String = "g", _ uid: UInt32 = 1, _ rate: String = "3/s",
    at nanoseconds: Int64
  ) throws -> Bool {
    limiter.take(
      grant: grant, uid: uid, rate: try #require(Rate(rate)),
      now: MonotonicTime(nanoseconds: nanoseconds))
  }

  @Test func aBurstEmptiesTheBucketAndTimeRefillsIt() throws {
    let limiter = RateLimiter()
    let third: Int64 = 333_333_333
    for _ in 0..<3 { #expect(try take(limiter, at: 5)) }
    #expect(try !take(limiter, at: 5))
    #expect(try !take(limiter, at: 5 + third - 1))
    #expect(try take(limiter, at: 5 + third))
    #expect(try !take(limiter, at: 5 + third))
    // However long it waits, no more than a bucketful.
    for _ in 0..<3 { #expect(try take(limiter, at: 3_600_000_000_000)) }
    #expect(try !take(limiter, at: 3_600_000_000_000))
  }

  @Test func theWaitIsUntilThereIsATokenAgain() throws {
    let limiter = RateLimiter()
    func wait(at nanoseconds: Int64, uid: UInt32 = 1) throws -> Int64 {
      limiter.wait(
        grant: "g", uid: uid, rate: try #require(Rate("3/s")),
        now: MonotonicTime(nanoseconds: nanoseconds))
    }
    #expect(try wait(at: 5) == 0)
    for left in [2, 1, 0] {
      #expect(try take(limiter, at: 5))
      #expect(try (wait(at: 5) == 0) == (left > 0))
    }
    #expect(try wait(at: 5) == 333_333_333)
    #expect(try wait(at: 5 + 333_333_332) == 1)
    #expect(try wait(at: 5 + 333_333_333) == 0)
    #expect(try wait(at: 5, uid: 2) == 0)
  }

  @Test func eachGrantAndUserHasItsOwn() throws {
    let limiter = RateLimiter()
    #expect(try take(limiter, "a", 1, "1/h", at: 0))
    #expect(try !take(limiter, "a", 1, "1/h", at: 0))
    #expect(try take(limiter, "a", 2, "1/h", at: 0))
    #expect(try take(limiter, "b", 1, "1/h", at: 0))
  }

  /// How often a caller gets through, of so many tries at once.
  private func passes(
    _ tries: Int, _ policy: Policy, _ opcode: Opcode, _ limits: UseLimits, as uid: UInt32 = 1001,
    at now: MonotonicTime = epoch
  ) -> Int {
    let label = opcode.keyUse == .required ? "merchant/acme/x" : nil
    return (0..<tries).count { _ in
      policy.outcome(caller(uid), opcode, label, now: now, limits: limits) == .allowed("acme")
    }
  }

  @Test(
    "what only asks is limited for each person where its grant states no rate; no use of a key is",
    arguments: Opcode.grantable) func questions(_ opcode: Opcode) throws
  {
    let released: ReleasedFields =
      opcode.traits.releases == .panAlone ? ReleasedFields([.dpan]) : []
    let quota = opcode.traits.needsLimit ? "9999/d" : nil
    let keys = opcode.keyUse.namesKeys ? ["merchant/acme/*"] : []
    let policy = try Policy([
      rule(users: [1001, 1002], operations: [opcode], keys: keys, released: released, quota: quota)
    ])
    let limits = UseLimits()
    let isQuestion = [.describe, .listKeys, .who].contains(opcode)
    #expect(passes(700, policy, opcode, limits) == (isQuestion ? 600 : 700))
    #expect(passes(700, policy, opcode, limits, as: 1002) == (isQuestion ? 600 : 700))
    let later = MonotonicTime(nanoseconds: 1_000_000_000)
    #expect(passes(100, policy, opcode, limits, at: later) == (isQuestion ? 10 : 100))
  }

  @Test("the grants without a rate share one, and a rate that is stated is its own")
  func questionsOfSeveralGrants() throws {
    let policy = try Policy([
      rule("a", operations: [.who], keys: []), rule("b", operations: [.describe], keys: []),
      rule("acme", operations: [.listKeys], rate: "700/s"),
    ])
    let limits = UseLimits()
    let ask = { (opcode: Opcode) in policy.outcome(caller(), opcode, nil, limits: limits) }
    for _ in 0..<300 { #expect(ask(.who) == .allowed("a") && ask(.describe) == .allowed("b")) }
    #expect(ask(.who) == .denied(.rate(grant: "a")) && ask(.describe) == .denied(.rate(grant: "b")))
    #expect(passes(800, policy, .listKeys, limits) == 700)
  }

  @Test func aFullTableRefusesUntilABucketIsFullAgain() throws {
    let limiter = RateLimiter(capacity: 2)
    #expect(try take(limiter, "a", 1, "1/s", at: 0))
    #expect(try take(limiter, "a", 2, "1/s", at: 0))
    #expect(try !take(limiter, "a", 3, "1/s", at: 999_999_999))
    #expect(try take(limiter, "a", 3, "1/s", at: 1_000_000_000))
  }
}
