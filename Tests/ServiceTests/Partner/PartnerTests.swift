import Audit
import Crypto
import Format
import KeyStore
import Operations
import Policy
import Sandbox
import Service
import ServiceHarness
import TestSupport
import Testing

@Suite struct PartnerTests {
  private static let json =
    #"{"dpan":"\#(TestPayment().pan)","network":"visa","expiry":"\#(TestPayment().expiry)","currency":"840","amount":1499,"#
    + #""cryptogram":"\#(TestPayment().cryptogram)","eci":"\#(TestPayment().eci ?? "")"}"#

  private func opened(_ body: [UInt8]) throws -> (
    fields: ReleasedFields, jwe: String, signed: UInt64
  ) {
    let reply = try OpenPaymentTokenReply(MessageReader(body.span))
    return (reply.fields, String(decoding: reply.jwe.array, as: UTF8.self), reply.signingTime)
  }

  @Test(
    "[OP-PARTNER-1] [OP-PARTNER-3] [KS-USE-PARTNER] the fields leave in a JWE that the partner reads, and none beside it",
    arguments: PartnerScene.keys)
  func released(key: String) throws {
    let scene = try PartnerScene(to: "partner/" + key)
    let reply = try scene.reply()
    #expect(reply.header.status == .ok)
    let (fields, jwe, signed) = try opened(reply.body)
    #expect(fields == ReleasedFields([.jwe]))
    #expect(signed == 1_750_000_000)
    #expect(try PartnerScene.open(jwe, with: key).json == Self.json)
    let clear = String(decoding: reply.body, as: UTF8.self)
    #expect(!clear.contains(TestPayment().pan) && !clear.contains(TestPayment().cryptogram))
  }

  @Test(
    "[OP-PARTNER-4] the header has what the algorithm needs and what the key says",
    arguments: PartnerScene.keys)
  func header(key: String) throws {
    let scene = try PartnerScene(to: "partner/" + key)
    let header = try PartnerScene.open(opened(scene.reply().body).jwe, with: key).header
    let algorithm = ["ec": "ECDH-ES", "rsa": "RSA-OAEP-256", "shared": "A256GCMKW"][key] ?? ""
    #expect(header.hasPrefix("{\"alg\":\"\(algorithm)\",\"enc\":\"A256GCM\""))
    #expect(
      header.hasSuffix(
        #","kid":"acquirer-1","typ":"JOSE","iat":1750000000,"channelSecurityContext":"SHARED_SECRET"}"#
      ))
    #expect(header.contains("\"epk\":") == (key == "ec"))
    #expect(
      (header.contains("\"iv\":"), header.contains("\"tag\":")) == (
        key == "shared", key == "shared"
      ))
  }

  @Test("[OP-PARTNER-5] the record says what left and to whom")
  func record() throws {
    let scene = try PartnerScene(to: "partner/ec")
    #expect(try scene.reply().header.status == .ok)
    let record = try #require(try scene.service.lastRecord())
    #expect(record.released == PartnerScene.released.fields.map(\.name))
    #expect(record.inputs.partner == "partner/ec")
    #expect(record.furtherKeys.count == 1)
  }

  @Test("[OP-PARTNER-3] only what is asked for is in it")
  func wishes() throws {
    let scene = try PartnerScene(to: "partner/rsa")
    let some = try opened(scene.reply(release: ReleasedFields([.network, .amount, .last4])).body)
    #expect(
      try PartnerScene.open(some.jwe, with: "rsa").json == #"{"network":"visa","amount":1499}"#)
    // Nothing that is granted was asked for.
    let none = try opened(scene.reply(release: ReleasedFields([.last4])).body)
    #expect(none.fields.isEmpty && none.jwe.isEmpty)
    #expect(try stage(scene.reply(required: ReleasedFields([.last4]))) == .notReleased)
    // What it comes in cannot be asked for: nobody would get it by opening the token.
    #expect(throws: WireError.badValue(2)) {
      try scene.reply(release: ReleasedFields([.amount, .jwe]))
    }
    #expect(throws: WireError.badValue(6)) { try scene.reply(required: ReleasedFields([.jwe])) }
  }

  @Test(
    "[OP-PARTNER-6] [KS-USE-PARTNER] without an active key of the partner's nothing is opened",
    arguments: ["partner/none", "merchant/sealing", "merchant/acme", "audit/digest"])
  func noKey(label: String) throws {
    let scene = try PartnerScene(to: label)
    let token = try scene.scene.mint(signedAt: scene.scene.clock.now)
    #expect(
      try stage(scene.scene.reply(to: scene.scene.request(token), scene.service)) == .partnerKey)
    let record = try #require(try scene.service.lastRecord())
    #expect(record.released.isEmpty && record.inputs.partner == nil)
  }

  @Test(
    "[OP-PARTNER-6] a public key serves until its end",
    arguments: [(0, true), (3600, true), (3601, false)] as [(Int64, Bool)])
  func end(after: Int64, serves: Bool) throws {
    let scene = try PartnerScene(to: "partner/ec")
    scene.scene.clock.now = TestService.start.adding(seconds: after)
    let reply = try scene.reply()
    #expect(try stage(reply) == (serves ? nil : .partnerKey))
  }

  @Test("[OP-PARTNER-1] an envelope's fields go to the partner, too")
  func envelope() throws {
    let sealing = try #require(KeyLabel("merchant/sealing"))
    let scene = try PartnerScene(
      to: "partner/ec", [.openEnvelope], released: ReleasedFields([.dpan, .expiry]))
    let merchant = StandInKeys.Merchant(
      surrogateKey: nil, envelopes: .init(key: sealing, lifetime: 60, openOnce: false))
    let shop = try Rule(
      id: "front", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.openPaymentToken],
      keys: [KeyPattern("merchant/*")].compactMap { $0 },
      released: ReleasedFields([.last4, .envelope]), sealed: ReleasedFields([.dpan, .amount]))
    let acquirer = try Rule(
      id: "acquirer", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.openEnvelope],
      keys: [KeyPattern("merchant/*")].compactMap { $0 },
      released: ReleasedFields([.dpan, .expiry]), partner: "partner/ec")
    try scene.service.service.reload(
      TestService.rules([shop, acquirer], StandInKeys(merchants: [TokenScene.merchant: merchant])))
    let token = try scene.scene.mint(signedAt: scene.scene.clock.now)
    let sealed = try scene.scene.reply(to: scene.scene.request(token), scene.service)
    let envelope = try OpenPaymentTokenReply(MessageReader(sealed.body.span)).envelope.array
    let body = try written(atMost: 1024) { (writer) throws(WireError) in
      var request = OpenEnvelopeRequest()
      request.envelope = envelope.span
      request.merchantIdentifier = TokenScene.merchant
      request.transactionID = token.transactionID.span
      try request.encode(into: &writer)
    }
    let reply = try scene.service.call(.openEnvelope, key: scene.scene.sealingKey(), body: body)
    let (fields, jwe, _) = try opened(reply.body)
    #expect(fields == ReleasedFields([.jwe]))
    #expect(try PartnerScene.open(jwe, with: "ec").json == #"{"dpan":"\#(TestPayment().pan)"}"#)
    #expect(try scene.service.lastRecord()?.released == ["dpan"])
  }

  private func stage(_ reply: (header: ReplyHeader, body: [UInt8])) throws -> Stage? {
    guard reply.header.status == .rejected else { return nil }
    return try Rejection(MessageReader(reply.body.span)).stage
  }
}
