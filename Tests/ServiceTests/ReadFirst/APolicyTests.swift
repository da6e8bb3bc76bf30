import Format
import KeyStore
import Policy
import ServiceHarness
import TestSupport
import Testing

/// Read this third: a policy is a list of grants, and the first that covers a request decides.
@Suite struct APolicyTests {
  // The shop's service may open tokens with Acme's key and learn two fields; five a second, and ten
  // a day.
  private static func policy() throws -> Policy {
    let shop = try Rule(
      id: "shop", callers: CallerRule(users: [Principal(id: 1001)]),
      operations: [.openPaymentToken],
      keys: [KeyPattern("merchant/acme/*")].compactMap { $0 },
      released: ReleasedFields([.last4, .network]), rate: Rate(5, per: .second),
      quota: Quota("10/d"))
    return try Policy([shop])
  }

  private static let key = KeyTarget(id: KeyID(high: 1, low: 2), label: "merchant/acme/pay")
  private static let friday = Moment(
    Timestamp(seconds: 1_750_000_000), MonotonicTime(nanoseconds: 0))

  private func decide(
    uid: UInt32 = 1001, _ opcode: Opcode = .openPaymentToken, _ key: NamedKey = .known(key),
    limits: UseLimits = UseLimits()
  ) throws -> Denial? {
    let caller = Caller(uid: uid, gid: uid, pid: 1)
    switch try Self.policy().covering(caller, opcode, key: key).decide(
      at: Self.friday, limits: limits)
    {
    case .allow(let grant):
      #expect(grant.id == "shop" && grant.released == ReleasedFields([.last4, .network]))
      return nil
    case .deny(let denial): return denial
    }
  }

  @Test func whatIsGrantedIsAllowed() throws {
    #expect(try decide() == nil)
  }

  @Test func everythingElseIsDenied() throws {
    #expect(try decide(uid: 1002) == .noGrant)
    #expect(try decide(.random) == .noGrant)
    #expect(
      try decide(
        .openPaymentToken,
        .known(KeyTarget(id: KeyID(high: 1, low: 3), label: "merchant/other/pay"))) == .noGrant)
    #expect(try decide(.openPaymentToken, .absent) == .unknownKey)
  }

  @Test func moreThanTheRateIsDenied() throws {
    let limits = UseLimits()
    for _ in 0..<5 { #expect(try decide(limits: limits) == nil) }
    #expect(try decide(limits: limits) == .rate(grant: "shop"))
  }
}
