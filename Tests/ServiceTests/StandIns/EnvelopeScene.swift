import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import Sandbox
import Service
import ServiceHarness
import TestSupport
import Testing

/// A shop that opens tokens without seeing their numbers, and two services that open its envelopes,
/// each with fields of its own.
struct EnvelopeScene {
  let scene: TokenScene
  let lifetime: UInt32
  let once: Bool
  /// Of the acquirer's grant.
  let rate, quota: String?

  static let (shop, acquirer, books, stranger) = (
    UInt32(1000), UInt32(2000), UInt32(3000), UInt32(4000)
  )
  static let sealed = ReleasedFields([
    .dpan, .expiry, .currency, .amount, .cryptogram, .eci, .cardholderName,
  ])
  static let pan = TestPayment().pan

  static let released = ReleasedFields([.dpan, .expiry, .cryptogram, .eci])

  /// - Parameter further: puts more keys into a new store.
  init(
    lifetime: UInt32 = 3600, once: Bool = false, rate: String? = nil, quota: String? = nil,
    further: @escaping @Sendable (KeyStore) throws -> Void = { _ in }
  ) throws {
    scene = try TokenScene(further: further)
    self.lifetime = lifetime
    self.once = once
    self.rate = rate
    self.quota = quota
  }

  var clock: TestClock { scene.clock }

  private func standInKeys(_ lifetime: UInt32, _ once: Bool) -> StandInKeys {
    guard let key = KeyLabel("merchant/sealing") else { return StandInKeys() }
    let envelopes = StandInKeys.Envelopes(key: key, lifetime: lifetime, openOnce: once)
    return StandInKeys(merchants: [
      TokenScene.merchant: StandInKeys.Merchant(surrogateKey: nil, envelopes: envelopes)
    ])
  }

  /// - Parameters:
  ///   - id: of the acquirer's grant; nil for none.
  ///   - released: by it.
  private func grants(acquirer id: String? = "acquirer", _ released: ReleasedFields = released)
    throws -> [Rule]
  {
    func rule(
      _ id: String, _ uid: UInt32, _ operations: Set<Opcode>, _ released: ReleasedFields,
      sealed: ReleasedFields = [],
      rate: String? = nil, quota: String? = nil
    ) throws -> Rule {
      try Rule(
        id: id, callers: CallerRule(users: [Principal(id: uid)]), operations: operations,
        keys: [KeyPattern("merchant/*")].compactMap { $0 },
        released: released, sealed: sealed, showsStage: true, rate: rate.flatMap(Rate.init),
        quota: quota.flatMap(Quota.init))
    }
    let shops: Set<Opcode> = [.openPaymentToken, .tokenise, .describeKey, .random]
    let acquirers: Set<Opcode> = [.openEnvelope]
    return try [
      rule(
        "shop", Self.shop, shops, ReleasedFields([.last4, .envelope]), sealed: Self.sealed,
        rate: "100000/s"),
      rule("books", Self.books, acquirers, ReleasedFields([.last4, .amount, .currency])),
    ]
      + (id.map { [try rule($0, Self.acquirer, acquirers, released, rate: rate, quota: quota)] }
        ?? [])
  }

  /// - Parameter disk: nil for a new store.
  func service(
    on disk: SimulatedDisk? = nil, opensLocally: Bool = false, segmentSize: Int = 1 << 20,
    adjust: (inout ServiceSettings) -> Void = { _ in }
  ) throws -> TestService {
    let service = try scene.service(
      on: disk, grants: grants(), standInKeys: standInKeys(lifetime, once),
      opensLocally: opensLocally ? [TokenScene.merchant] : [],
      segmentSize: segmentSize, adjust: adjust)
    try service.unlock()
    return service
  }

  /// Puts another grant of the acquirer's in force, or another window.
  func reload(
    _ service: TestService, acquirer: String? = "acquirer",
    ofAcquirer released: ReleasedFields = released, retryWindow: UInt32 = 120
  ) throws {
    let rules = try TestService.rules(
      grants(acquirer: acquirer, released), standInKeys(lifetime, once), retryWindow: retryWindow)
    try service.service.reload(rules)
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
  func seal(_ service: TestService) throws -> Sealed {
    try seal(scene.mint(signedAt: clock.now), service)
  }

  /// What the shop gets of this token.
  func seal(_ token: MintedToken, retryKey: [UInt8] = [], _ service: TestService) throws -> Sealed {
    let reply = try scene.reply(to: scene.request(token, retryKey: retryKey), service)
    try #require(reply.header.status == .ok)
    let opened = try OpenPaymentTokenReply(MessageReader(reply.body.span))
    guard opened.fields == ReleasedFields([.last4, .envelope]) else {
      throw WireError.trailingBytes
    }
    return Sealed(
      bytes: opened.envelope.array, transaction: token.transactionID,
      last4: String(decoding: opened.last4.array, as: UTF8.self))
  }

  /// What the shop gets of a number without a token.
  func tokenised(for transaction: [UInt8], _ service: TestService) throws -> Sealed {
    let pan = Array(Self.pan.utf8)
    let body = try written(atMost: 256) { (writer) throws(WireError) in
      var request = TokeniseRequest()
      request.pan = pan.span
      request.merchantIdentifier = TokenScene.merchant
      request.transactionID = transaction.span
      request.lifetime = lifetime
      try request.encode(into: &writer)
    }
    let reply = try service.call(.tokenise, key: scene.sealingKey(), body: body)
    return Sealed(
      bytes: try TokeniseReply(MessageReader(reply.body.span)).envelope.array,
      transaction: transaction, last4: "")
  }

  /// How often the key of envelopes was used.
  func uses(_ service: TestService) throws -> UInt64 {
    let description = try service.call(.describeKey, key: scene.sealingKey())
    return try KeyDescription(MessageReader(description.body.span)).uses
  }

  /// The body of a request to open one.
  static func request(
    _ sealed: Sealed, release: ReleasedFields = [], required: ReleasedFields = [],
    merchant: String = TokenScene.merchant,
    retryKey: [UInt8] = []
  ) throws -> [UInt8] {
    try written(atMost: 1024) { (writer) throws(WireError) in
      var request = OpenEnvelopeRequest()
      request.envelope = sealed.bytes.span
      request.merchantIdentifier = merchant
      request.transactionID = sealed.transaction.span
      request.release = release
      request.required = required
      request.retryKey = retryKey.span
      try request.encode(into: &writer)
    }
  }

  /// The fields of a reply by name, or a status or the stage of a rejection, with the field that it
  /// names.
  enum Outcome: Equatable {
    case ok([String: String])
    case refused(String)
  }

  func open(
    _ sealed: Sealed, _ service: TestService, by uid: UInt32 = acquirer,
    release: ReleasedFields = [], required: ReleasedFields = [],
    merchant: String = TokenScene.merchant, key: String = "merchant/sealing", retryKey: [UInt8] = []
  ) throws -> Outcome {
    let body = try Self.request(
      sealed, release: release, required: required, merchant: merchant, retryKey: retryKey)
    let reply = try service.call(
      .openEnvelope, key: scene.sealingKey(key), body: body,
      from: Caller(uid: uid, gid: uid, pid: 1))
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
      values[field.name] =
        field == .amount
        ? opened.amount.map { "\($0)" } : String(decoding: opened[field].array, as: UTF8.self)
    }
    return values
  }
}
