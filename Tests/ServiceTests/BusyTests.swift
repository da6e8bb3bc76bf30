import Crypto
import Format
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// [WIRE-24] What a `busy` reply says of how long to wait.
@Suite struct BusyTests {
  private let clock = TestClock()

  private func service(
    _ operation: Opcode = .describe, keys: [String] = [], rate: String? = nil, quota: String? = nil,
    keyQuota: String? = nil
  ) throws
    -> TestService
  {
    let rule = try Rule(
      id: "limited", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [operation], keys: keys.compactMap(KeyPattern.init),
      rate: rate.flatMap(Rate.init), quota: quota.flatMap(Quota.init),
      keyQuota: keyQuota.flatMap(Quota.init))
    let generating = try Rule(
      id: "generating", callers: rule.callers, operations: [.generateKey],
      keys: [KeyPattern("*")].compactMap { $0 })
    let test = try TestService(grants: [rule, generating], clock: clock)
    try test.unlock()
    return test
  }

  /// Milliseconds; nil if the reply is not `busy`.
  private func wait(
    _ test: TestService, _ opcode: Opcode = .describe, key: KeyID = .none, body: [UInt8] = []
  ) throws -> Int? {
    let reply = try test.call(opcode, key: key, body: body, asksWait: true)
    return reply.header.status == .busy ? try Busy(MessageReader(reply.body.span)).retryAfter : nil
  }

  private func pass(seconds: Int64) { clock.now = clock.now.adding(seconds: seconds) }

  @Test("of a client that does not ask it says nothing, as before") func clientOfBefore() throws {
    let test = try service(rate: "1/h")
    #expect(try test.status(.describe) == .ok)
    let reply = try test.call(.describe)
    #expect(reply.header.status == .busy && reply.body.isEmpty)
    #expect(try wait(test) == 3_600_000)
  }

  @Test("until the rate allows one more, and then it does") func rate() throws {
    let test = try service(rate: "3/m")
    for _ in 0..<3 { #expect(try wait(test) == nil) }
    #expect(try wait(test) == 20_000)
    pass(seconds: 19)
    #expect(try wait(test) == 1000)
    pass(seconds: 1)
    #expect(try wait(test) == nil)
    #expect(try wait(test) == 20_000)
  }

  @Test(
    "until the quota's day or week begins anew",
    arguments: [("2/d", Int64(86_400), Int64(0)), ("2/w", 604_800, 345_600)])
  func quota(_ quota: String, _ period: Int64, _ beginning: Int64) throws {
    let test = try service(quota: quota)
    for _ in 0..<2 { #expect(try wait(test) == nil) }
    let left = period - (clock.now.seconds - beginning) % period
    #expect(try wait(test) == Int(left) * 1000)
    pass(seconds: left - 1)
    #expect(try wait(test) == 1000)
    pass(seconds: 1)
    #expect(try wait(test) == nil)
  }

  @Test("until rate and quota both allow it: the longer wait") func both() throws {
    let test = try service(rate: "1/s", quota: "1/d")
    #expect(try wait(test) == nil)
    #expect(try #require(try wait(test)) > 1000)
    let slow = try service(rate: "1/h", quota: "2/d")
    #expect(try wait(slow) == nil)
    #expect(try wait(slow) == 3_600_000)
  }

  @Test("until the key's quota begins anew, which other users may have used up") func keyQuota()
    throws
  {
    let test = try service(.mac, keys: ["*"], keyQuota: "1/d")
    let key = try test.generateKey("mac/one")
    let body = try TestService.macBody()
    #expect(try wait(test, .mac, key: key, body: body) == nil)
    #expect(try #require(try wait(test, .mac, key: key, body: body)) > 1000)
  }

  @Test(
    "as long as a quota of a clock that was set back lasts, and no longer than the protocol lets it say"
  ) func clockSetBack() throws {
    let test = try service(quota: "1/w")
    #expect(try wait(test) == nil)
    clock.step(seconds: -7 * 86_400)
    let said = try #require(try wait(test))
    #expect((604_800_000...Busy.Caps.retryAfter.upperBound).contains(said))
  }

  @Test("a second where nothing is known, such as for a secret that there is no room for")
  func unknown() throws {
    let test = try service(.ecdh, keys: ["*"])
    let key = try test.generateKey("agreement/one", "agreement") { $0.algorithm = "P-256" }
    let body = try Body.ecdh(try PrivateKey.generate(.p256).publicKey.point ?? [])
    let reply = try test.call(.ecdh, key: key, body: body, asksWait: true)
    #expect(reply.header.status == .busy)
    #expect(try Busy(MessageReader(reply.body.span)).retryAfter == 1000)
    #expect(try test.call(.ecdh, key: key, body: body).body.isEmpty)
  }

  @Test("no other refusal says anything to a client that asks") func others() throws {
    let test = try service()
    for (opcode, status) in [(Opcode.random, Status.denied), (.status, .denied)] {
      let reply = try test.call(opcode, asksWait: true)
      #expect(reply.header.status == status && reply.body.isEmpty)
    }
  }

  @Test(
    "nanoseconds are rounded up to milliseconds that the protocol has",
    arguments: [(Int64(1), 1), (1_000_000, 1), (1_000_001, 2), (.max, 1_209_600_000)])
  func rounding(_ nanoseconds: Int64, _ milliseconds: Int) {
    #expect(Busy(waiting: nanoseconds).retryAfter == milliseconds)
  }
}
