internal import ApplePay
internal import Audit
internal import Crypto
internal import Format

extension PaymentToken {
  /// Checks the wire's fields for size and against the version.
  @_lifetime(copy message)
  init(_ message: borrowing PaymentTokenMessage) throws(TokenError) {
    try self.init(
      version: message.version, data: message.data, signature: message.signature,
      ephemeralPublicKey: message.ephemeralPublicKey, wrappedKey: message.wrappedKey, publicKeyHash: message.publicKeyHash,
      transactionID: message.transactionID, applicationData: message.applicationData)
  }
}

/// The keyed digest that stands for the token's transaction in the log and the replay guard.
func transactionDigest(_ token: borrowing PaymentTokenMessage, _ daemon: DaemonContext) throws(OperationError) -> KeyedDigest {
  do throws(CryptoError) { return try daemon.digests.digest(.transaction, of: token.transactionID) } catch { throw OperationError(error) }
}

extension OperationError {
  init(_ error: TokenError) {
    switch error {
    case .exhausted: self = .busy(.memory)
    case .backend: self = .fault
    case .rejected(let rejection): self = .rejected(rejection.stage)
    }
  }
}

extension TokenRejection {
  fileprivate var stage: Stage {
    switch self {
    case .format: .format
    case .version: .version
    case .cms: .cms
    case .leafMarker: .leafMarker
    case .intermediateMarker: .intermediateMarker
    case .extraCertificate: .extraCertificate
    case .chain: .chain
    case .signer: .signer
    case .algorithm: .algorithm
    case .signedAttributes: .signedAttributes
    case .messageDigest: .messageDigest
    case .signature: .signature
    case .certificateValidity: .certificateValidity
    case .signingTime: .signingTime
    case .publicKeyHash: .publicKeyHash
    case .keyAgreement: .keyAgreement
    case .tag: .tag
    case .plaintext: .plaintext
    case .expectation: .expectation
    }
  }
}
