import ApplePay
package import Crypto
package import Format
import Host
package import KeyStore
import KistClient
package import Operations
package import Policy
package import Sandbox
package import Service
package import TestSupport

/// A service with a merchant's key, and tokens for it under a test root.
package struct TokenScene: Sendable {
  private let pki: TestApplePKI
  private let merchant: CertifiedKey
  package let clock = TestClock()
  /// The KEK of a new store, and those that may come after it.
  package let keks: [SplitKEK]
  private let further: @Sendable (KeyStore) throws -> Void
  private let sealing = Locked<[String: KeyID]>([:])

  package static let merchant = TestMerchant.ec.identifier

  /// - Parameters:
  ///   - keks: how many KEKs there are, split between custodians.
  ///   - further: puts more keys into a new store.
  package init(
    keks count: Int = 0, further: @escaping @Sendable (KeyStore) throws -> Void = { _ in }
  ) throws {
    self.further = further
    guard TestArena.ready else { throw SecretMemoryError.exhausted }
    keks = try (0..<count).map { number in try SplitKEK(TestService.kek.map { $0 ^ UInt8(number) })
    }
    pki = try TestApplePKI.make()
    merchant = try pki.certify(.ec)
  }

  /// - Parameters:
  ///   - disk: nil for a new store that has the key.
  ///   - keys: puts others into it.
  package func service(
    on disk: SimulatedDisk? = nil, grants: [Rule]? = nil, standInKeys: StandInKeys = StandInKeys(),
    retryWindow: UInt32 = 120,
    opensLocally: Set<String> = [], segmentSize: Int = 1 << 20,
    manifestLimit: Int = StoreFile.manifest.limit, keys: ((KeyStore) throws -> Void)? = nil,
    adjust: (inout ServiceSettings) -> Void = { _ in }
  ) throws -> TestService {
    let all: (KeyStore) throws -> Void = { store in
      try take(into: store)
      try keys?(store)
    }
    let prepare: ((KeyStore) throws -> Void)? = disk == nil ? all : nil
    let anchor = try TrustAnchor(pki.root.certificate)
    return try TestService(
      on: disk ?? TestService.newDisk(custodians: keks.first?.register),
      grants: grants ?? [TestService.everything([.openPaymentToken, .random])],
      standInKeys: standInKeys, retryWindow: retryWindow, opensLocally: opensLocally, clock: clock,
      segmentSize: segmentSize, manifestLimit: manifestLimit,
      prepare: prepare,
      adjust: {
        ($0.anchor, $0.merchantIssuers) = (anchor, .sandbox(anchor))
        adjust(&$0)
      })
  }

  /// The body of a request to open a token that is signed then; the payment has no cardholder's
  /// name.
  package func request(
    signedAt moment: Timestamp, release: ReleasedFields = ReleasedFields([.last4]),
    required: ReleasedFields = [], amount: UInt64? = nil,
    retryKey: [UInt8] = []
  ) throws -> [UInt8] {
    try request(
      try mint(signedAt: moment), release: release, required: required, amount: amount,
      retryKey: retryKey)
  }

  /// A token that is signed then, for several requests to open it.
  package func mint(signedAt moment: Timestamp, applicationData: Digest256? = nil) throws
    -> MintedToken
  {
    var payment = TestPayment()
    payment.applicationData = applicationData
    return try TokenMint(pki).mint(payment, for: merchant.certificate, signedAt: moment)
  }

  package func request(
    _ token: MintedToken, release: ReleasedFields = [], required: ReleasedFields = [],
    amount: UInt64? = nil, retryKey: [UInt8] = []
  ) throws -> [UInt8] {
    guard case .ephemeralPublicKey(let ephemeral) = token.keySource else {
      throw CryptoError.invalidKey
    }
    return try written(atMost: 8192) { (writer) throws(WireError) in
      var request = OpenPaymentTokenRequest()
      request.token.data = token.data.span
      request.token.signature = token.signature.span
      request.token.ephemeralPublicKey = ephemeral.span
      request.token.publicKeyHash = token.publicKeyHash.span
      request.token.transactionID = token.transactionID.span
      request.token.applicationData = token.applicationData.span
      request.release = release
      request.required = required
      request.expectedAmount = amount
      request.retryKey = retryKey.span
      try request.encode(into: &writer)
    }
  }

  /// The reply to a request to open a token.
  package func reply(to request: [UInt8], _ service: TestService) throws -> (
    header: ReplyHeader, body: [UInt8]
  ) {
    try service.call(.openPaymentToken, key: key(), body: request)
  }

  /// The merchant's key.
  package func key() throws -> KeyID {
    let digest = SHA256.hash(merchant.certificate.spki)
    guard let id = KeyID(prefixOf: digest.span) else { throw CryptoError.invalidKey }
    return id
  }

  /// `ok`, a status or the stage of a rejection.
  package func open(_ request: [UInt8], _ service: TestService) throws -> String {
    let reply = try reply(to: request, service)
    guard reply.header.status == .rejected else { return reply.header.status.name }
    return try Rejection(MessageReader(reply.body.span)).stage.name
  }

  /// The key with this label, of role `sealing`: "merchant/sealing" or "merchant/other".
  package func sealingKey(_ label: String = "merchant/sealing") -> KeyID {
    sealing.withLock { $0[label] } ?? .none
  }

  private func take(into store: KeyStore) throws {
    try further(store)
    for name in ["merchant/sealing", "merchant/other"] {
      guard let label = KeyLabel(name) else { throw CryptoError.invalidKey }
      let key = KeyImport(
        label: label, role: .sealing, material: .symmetric(try Random.secret(count: 32)))
      let id = try store.importKey(key, at: TestService.start, anchor: .beginning).id
      sealing.withLock { $0[name] = id }
    }
    guard let label = KeyLabel(TestMerchant.ec.label) else { throw CryptoError.invalidKey }
    _ = try store.importKey(
      KeyImport(
        label: label, role: .merchantProcessingEC, material: .privateKey(merchant.key),
        certificate: merchant.certificate),
      at: TestService.start, anchor: .beginning)
  }
}
