import Format
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import KeyStore

/// Claims and retry digests against values that Python's hmac gave for the formulas of FLEET.md.
@Suite struct ClaimDigestsTests {
  private let digests: ClaimDigests
  private let codes: KeySlot
  private let store: KeyStore

  init() throws {
    let host = try FleetScene().host("paris")
    store = try host.service.reopenedStore { $0 }
    let fleet = try #require(KeyLabel("fleet/claims"))
    let codes = try #require(KeyLabel("codes/totp"))
    digests = ClaimDigests(try #require(store.fleetKey(labelled: fleet, at: TestService.start)))
    self.codes = try store.slot(labelled: codes)
  }

  @Test("[FLEET-CLAIM-1] of an opening: processing key and transaction") func opening() throws {
    let hash = [UInt8](repeating: 0x11, count: 32)
    let transaction = [UInt8](repeating: 0x22, count: 32)
    let first = try digests.opening(hash.span, transaction.span)
    let second = try digests.opening(transaction.span, hash.span)
    #expect(
      Hex.encode(first.bytes) == "490ef3cf9d6af74d1dbde48f283fbb60b226fb58e8bc99844611ac6bce45bb64")
    #expect(second != first)
  }

  @Test("[FLEET-CLAIM-11] of a payment: transaction and number, if there is one") func payment()
    throws
  {
    let transaction = [UInt8](repeating: 0x22, count: 32)
    let pan = Array("4109370251004320".utf8)
    let none = [UInt8]()
    #expect(
      try Hex.encode(digests.payment(transaction.span, pan.span).bytes)
        == "85e3a777c7673410d64567be08ceb4d3839762f77fb431827c320a32e6303dda")
    #expect(
      try Hex.encode(digests.payment(transaction.span, none.span).bytes)
        == "89da397ab680d6e6f19cc3cf7b86c7329c9530b7de41bb83b9822587c1018dd2")
  }

  @Test("[FLEET-CLAIM-2] of a code: its key, subject and time step") func code() throws {
    let alice = Array("alice".utf8)
    let nobody = [UInt8]()
    #expect(
      try Hex.encode(digests.code(codes, alice.span, step: 58_333_333).bytes)
        == "c967383911bac0ff230735cce46a325b8e698b27a4f586bca704c268b47b0163")
    #expect(
      try Hex.encode(digests.code(codes, nobody.span, step: 58_333_333).bytes)
        == "3cb1f63dfbbb05601440efe5c9ce2b541d318e32b19cbdd83ec9a461f5945a88")
    #expect(
      try digests.code(codes, alice.span, step: 58_333_334)
        != digests.code(codes, alice.span, step: 58_333_333))
  }

  @Test("[FLEET-CLAIM-3] of a request: user by name, or number, grant and body") func retry() throws
  {
    func digest(_ caller: Caller, _ grant: String = "openers", _ body: [UInt8] = [1, 2, 3]) throws
      -> String
    {
      try Hex.encode(digests.retry(body.span, by: caller, under: grant).bytes)
    }
    let named = Caller(uid: 1000, gid: 1000, pid: 1, name: "shop")
    #expect(try digest(named) == "f527417c619b38ee72e870787dd2beb6e741fb3a2964754490763ce5dfbdfca0")
    #expect(try digest(Caller(uid: 7, gid: 7, pid: 2, name: "shop")) == digest(named))
    #expect(
      try digest(TestService.caller)
        == "bc8e78378d1d04e7f976b30fc09171cd865a7736ea27c3d36d195a69a679b058")
    #expect(
      try Set([digest(named), digest(named, "others"), digest(named, "openers", [1, 2, 4])]).count
        == 3)
  }

  @Test("[FLEET-CLAIM-4] the day is that of the moment, from 1970 on") func day() {
    for (seconds, day) in [
      (0, 0), (86_399, 0), (86_400, 1), (1_750_000_000, 20_254), (-86_401, 0), (.max, .max),
    ] as [(Int64, UInt32)] {
      #expect(Claim.day(of: seconds) == day)
    }
  }
}
