import Audit
import CryptoBackend
import Encoding
import KeyStore
import Operations
import Policy
import Sandbox
import SecretMemory
import Service
import ServiceHarness
import Storage
import TestSupport
import Testing
import Threads
import Wire

/// A shop that opens tokens without seeing their numbers, and two services that open its envelopes, each with fields of its own.
struct EnvelopeScene {
  let scene: TokenScene
  let lifetime: UInt32
  let once: Bool

  static let (shop, acquirer, books, stranger) = (UInt32(1000), UInt32(2000), UInt32(3000), UInt32(4000))
  static let sealed = ReleasedFields([.dpan, .expiry, .currency, .amount, .cryptogram, .eci, .cardholderName])
  static let pan = TestPayment().pan

  init(lifetime: UInt32 = 3600, once: Bool = false) throws { (scene, self.lifetime, self.once) = (try TokenScene(), lifetime, once) }

  var clock: TestClock { scene.clock }

  private func standInKeys(_ lifetime: UInt32, _ once: Bool) -> StandInKeys {
    guard let key = KeyLabel("merchant/sealing") else { return StandInKeys() }
    let envelopes = StandInKeys.Envelopes(key: key, lifetime: lifetime, openOnce: once)
    return StandInKeys(merchants: [TokenScene.merchant: StandInKeys.Merchant(surrogateKey: nil, envelopes: envelopes)])
  }

  private func grants() throws -> [Rule] {
    func rule(_ id: String, _ uid: UInt32, _ operations: Set<Opcode>, _ released: ReleasedFields, sealed: ReleasedFields = []) throws -> Rule {
      try Rule(
        id: id, callers: CallerRule(users: [Principal(id: uid)]), operations: operations, keys: [KeyPattern("merchant/*")].compactMap { $0 },
        released: released, sealed: sealed, showsStage: true)
    }
    return try [
      rule("shop", Self.shop, [.openPaymentToken, .random], ReleasedFields([.last4, .envelope]), sealed: Self.sealed),
      rule("acquirer", Self.acquirer, [.openEnvelope], ReleasedFields([.dpan, .expiry, .cryptogram, .eci])),
      rule("books", Self.books, [.openEnvelope], ReleasedFields([.last4, .amount, .currency])),
    ]
  }

  /// - Parameter disk: nil for a new store.
  func service(on disk: SimulatedDisk? = nil, segmentSize: Int = 1 << 20, adjust: (inout ServiceSettings) -> Void = { _ in }) throws -> TestService {
    let service = try scene.service(on: disk, grants: grants(), standInKeys: standInKeys(lifetime, once), segmentSize: segmentSize, adjust: adjust)
    try service.unlock()
    return service
  }

  /// Puts other terms for the merchant's envelopes in force.
  func reload(_ service: TestService, lifetime: UInt32, once: Bool) throws {
    try service.service.reload(TestService.rules(grants(), standInKeys(lifetime, once)))
  }

  /// An envelope and the transaction that it is bound to.
  struct Sealed {
    var bytes: [UInt8]
    let transaction: [UInt8]
    /// The last four digits that the shop got beside it.
    let last4: String
  }

  /// What the shop gets of a new token.
  func seal(_ service: TestService) throws -> Sealed { try seal(scene.mint(signedAt: clock.now), service) }

  /// What the shop gets of this token.
  func seal(_ token: MintedToken, retryKey: [UInt8] = [], _ service: TestService) throws -> Sealed {
    let reply = try scene.reply(to: scene.request(token, retryKey: retryKey), service)
    try #require(reply.header.status == .ok)
    let opened = try OpenPaymentTokenReply(MessageReader(reply.body.span))
    guard opened.fields == ReleasedFields([.last4, .envelope]) else { throw WireError.trailingBytes }
    return Sealed(bytes: opened.envelope.array, transaction: token.transactionID, last4: String(decoding: opened.last4.array, as: UTF8.self))
  }

  /// The fields of a reply by name, or a status or the stage of a rejection, with the field that it names.
  enum Outcome: Equatable {
    case ok([String: String])
    case refused(String)
  }

  func open(
    _ sealed: Sealed, _ service: TestService, by uid: UInt32 = acquirer, release: ReleasedFields = [], required: ReleasedFields = [],
    merchant: String = TokenScene.merchant, key: String = "merchant/sealing"
  ) throws -> Outcome {
    let body = try written(atMost: 1024) { (writer) throws(WireError) in
      var request = OpenEnvelopeRequest()
      (request.envelope, request.merchantIdentifier, request.transactionID) = (sealed.bytes.span, merchant, sealed.transaction.span)
      (request.release, request.required) = (release, required)
      try request.encode(into: &writer)
    }
    let reply = try service.call(.openEnvelope, key: scene.sealingKey(key), body: body, from: Caller(uid: uid, gid: uid, pid: 1))
    switch reply.header.status {
    case .ok: return .ok(try Self.values(reply.body))
    case .rejected:
      let rejection = try Rejection(MessageReader(reply.body.span))
      return .refused(rejection.stage.name + (rejection.releasedField.map { " \($0.name)" } ?? ""))
    default: return .refused(reply.header.status.name)
    }
  }

  private static func values(_ body: [UInt8]) throws -> [String: String] {
    let opened = try OpenPaymentTokenReply(MessageReader(body.span))
    var values: [String: String] = ["signed": "\(opened.signingTime)"]
    for field in opened.fields.fields {
      values[field.name] = field == .amount ? opened.amount.map { "\($0)" } : String(decoding: opened[field].array, as: UTF8.self)
    }
    return values
  }
}
