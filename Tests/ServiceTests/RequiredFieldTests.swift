import ApplePay
import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// Fields without which a caller does not want its token opened.
@Suite struct RequiredFieldTests {
  private let scene: TokenScene
  private let start = TestService.start
  private let granted = ReleasedFields([.dpan, .last4, .amount, .cryptogram, .cardholderName])

  init() throws { scene = try TokenScene() }

  /// A service whose grant releases `granted`.
  ///
  /// - Parameter more: further operations, by another grant.
  private func service(showsStage: Bool = false, more: [Opcode] = []) throws -> TestService {
    let rule = try Rule(
      id: "shop", callers: CallerRule(users: [Principal(id: 1000)]),
      operations: [.openPaymentToken], keys: [KeyPattern("merchant/*")].compactMap { $0 },
      released: granted, showsStage: showsStage)
    let service = try scene.service(
      grants: [rule] + (more.isEmpty ? [] : [TestService.everything(more)]))
    try service.unlock()
    return service
  }

  private func rejection(of request: [UInt8], _ service: TestService) throws -> Rejection {
    let reply = try scene.reply(to: request, service)
    #expect(reply.header.status == .rejected)
    return try Rejection(MessageReader(reply.body.span))
  }

  @Test("[OP-OPEN-10] a token that has all required fields is opened, once")
  func opens() throws {
    let service = try service()
    let request = try scene.request(
      try scene.mint(signedAt: start), release: ReleasedFields([.dpan, .amount]),
      required: ReleasedFields([.dpan, .amount]))
    let reply = try scene.reply(to: request, service)
    let opened = try OpenPaymentTokenReply(MessageReader(reply.body.span))
    #expect(opened.dpan.count == 16 && opened.amount == 1499 && opened.last4.isEmpty)
    #expect(try service.lastRecord()?.released == ["dpan", "amount"])
    let again = try scene.reply(to: request, service)
    #expect(again.header.status == .rejected && again.body.isEmpty)
  }

  /// Each is refused for another reason: not granted, not asked for, and not in the token.
  @Test(
    "[OP-OPEN-10] a required field that does not come is named, stages or not, and the token can be opened later",
    arguments: [
      (ReleasedFields([.expiry]), ReleasedFields(), ReleasedField.expiry),
      (ReleasedFields([.raw]), ReleasedFields(), .raw),
      (ReleasedFields([.dpan, .cryptogram, .expiry]), ReleasedFields(), .expiry),
      (ReleasedFields([.dpan]), ReleasedFields([.last4]), .dpan),
      (ReleasedFields([.eci]), ReleasedFields([.eci]), .eci),
      (
        ReleasedFields([.cardholderName]), ReleasedFields([.cardholderName, .last4]),
        .cardholderName
      ),
      (
        ReleasedFields([.dpan, .cardholderName]), ReleasedFields([.dpan, .cardholderName]),
        .cardholderName
      ),
    ], [false, true])
  func refused(
    _ wish: (required: ReleasedFields, release: ReleasedFields, missing: ReleasedField),
    showsStage: Bool
  ) throws {
    let service = try service(showsStage: showsStage)
    let token = try scene.mint(signedAt: start)
    for _ in 0..<2 {
      let rejection = try rejection(
        of: scene.request(token, release: wish.release, required: wish.required), service)
      #expect(rejection == Rejection(stage: .notReleased, releasedField: wish.missing))
      let record = try #require(try service.lastRecord())
      #expect(
        record.stage == "not-released" && record.inputs.required == wish.missing
          && record.inputs.transaction != nil && record.released == [])
    }
    #expect(
      try scene.open(scene.request(token, release: ReleasedFields([.last4])), service) == "ok")
  }

  @Test(
    "[OP-OPEN-10] a token that would be refused anyway is refused for what is not granted first, and for what it lacks last"
  )
  func order() throws {
    let service = try service(showsStage: true)
    let stale = try scene.mint(signedAt: start.adding(seconds: -301))
    #expect(
      try rejection(of: scene.request(stale, required: ReleasedFields([.expiry])), service).stage
        == .notReleased)
    #expect(
      try rejection(
        of: scene.request(
          stale, release: ReleasedFields([.cardholderName]),
          required: ReleasedFields([.cardholderName])), service
      ).stage
        == .signingTime)
    let fresh = try scene.mint(signedAt: start)
    let other = try scene.request(
      fresh, release: ReleasedFields([.cardholderName]),
      required: ReleasedFields([.cardholderName]), amount: 1)
    #expect(try rejection(of: other, service).stage == .expectation)
    let last4 = ReleasedFields([.last4])
    #expect(try scene.open(scene.request(fresh, release: last4), service) == "ok")
    #expect(
      try rejection(of: scene.request(fresh, release: last4, required: last4), service).stage
        == .replay)
  }

  @Test(
    "[OP-OPEN-10] [WIRE-13] with a key that cannot be used, the answer does not depend on what is required"
  )
  func unusableKey() throws {
    let service = try service(more: [.suspendKey])
    #expect(try service.call(.suspendKey, key: scene.key(), on: .operators).header.status == .ok)
    let token = try scene.mint(signedAt: start)
    for required in [[], ReleasedFields([.last4]), ReleasedFields([.expiry])] {
      let reply = try scene.reply(to: scene.request(token, required: required), service)
      #expect(reply.header.status == .denied && reply.body.isEmpty)
    }
  }

  @Test(
    "[OP-OPEN-9] a payment's fields have the numbers of the reply's, and what is made with other keys is none of them"
  ) func numbers() {
    let others = ReleasedField.allCases.filter { PaymentField(rawValue: $0.rawValue) == nil }
    #expect(others == [.surrogate, .envelope, .jwe])
    for field in PaymentField.allCases {
      #expect(ReleasedField(rawValue: field.rawValue).map { "\($0)" } == "\(field)")
    }
  }
}
