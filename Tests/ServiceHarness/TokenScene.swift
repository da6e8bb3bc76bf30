internal import ApplePay
internal import CryptoBackend
package import Encoding
internal import KeyStore
package import Policy
internal import Sandbox
internal import SecretMemory
package import Service
package import TestSupport
internal import TokenJSON
internal import Wire

/// A service with a merchant's key, and tokens for it under a test root.
package struct TokenScene: Sendable {
  private let pki: TestApplePKI
  private let merchant: CertifiedKey
  package let clock = TestClock()

  package init() throws {
    guard TestArena.ready else { throw SecretMemoryError.exhausted }
    pki = try TestApplePKI.make()
    merchant = try pki.certify(.ec)
  }

  /// - Parameter disk: nil for a new store that has the key.
  package func service(
    on disk: SimulatedDisk? = nil, grants: [Rule]? = nil, segmentSize: Int = 1 << 20, adjust: (inout ServiceSettings) -> Void = { _ in }
  ) throws -> TestService {
    let prepare: ((KeyStore) throws -> Void)? = disk == nil ? { try take(into: $0) } : nil
    let anchor = try TrustAnchor(pki.root.certificate)
    return try TestService(
      on: disk, grants: grants ?? [TestService.everything([.openPaymentToken, .random])], clock: clock, segmentSize: segmentSize, prepare: prepare,
      adjust: {
        ($0.anchor, $0.merchantIssuers) = (anchor, .sandbox(anchor))
        adjust(&$0)
      })
  }

  /// The body of a request to open a token that is signed then.
  package func request(signedAt moment: Timestamp) throws -> [UInt8] {
    let token = try TokenMint(pki).mint(TestPayment(), for: merchant.certificate, signedAt: moment)
    guard case .ephemeralPublicKey(let ephemeral) = token.keySource else { throw CryptoError.invalidKey }
    return try written(atMost: 8192) { (writer) throws(WireError) in
      var request = OpenPaymentTokenRequest()
      (request.token.data, request.token.signature, request.token.ephemeralPublicKey) = (token.data.span, token.signature.span, ephemeral.span)
      (request.token.publicKeyHash, request.token.transactionID) = (token.publicKeyHash.span, token.transactionID.span)
      request.token.applicationData = token.applicationData.span
      request.release = ReleasedFields([.last4])
      try request.encode(into: &writer)
    }
  }

  /// `ok`, a status or the stage of a rejection.
  package func open(_ request: [UInt8], _ service: TestService) throws -> String {
    let digest = SHA256.hash(merchant.certificate.spki)
    guard let id = KeyID(prefixOf: digest.span) else { throw CryptoError.invalidKey }
    let reply = try service.call(.openPaymentToken, key: id, body: request)
    guard reply.header.status == .rejected else { return reply.header.status.name }
    return try Rejection(MessageReader(reply.body.span)).stage.name
  }

  private func take(into store: KeyStore) throws {
    guard let label = KeyLabel(TestMerchant.ec.label) else { throw CryptoError.invalidKey }
    _ = try store.importKey(
      KeyImport(label: label, role: .merchantProcessingEC, material: .privateKey(merchant.key), certificate: merchant.certificate),
      at: TestService.start, anchor: .beginning)
  }
}
