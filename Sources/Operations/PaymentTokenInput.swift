internal import ApplePay
internal import Audit
internal import CryptoBackend
internal import Encoding
internal import Wire

extension PaymentToken {
  /// The wire's fields, checked for size and for what goes with the version.
  @_lifetime(copy message)
  init(_ message: borrowing PaymentTokenMessage) throws(TokenError) {
    try self.init(
      version: message.version.applePay, data: message.data, signature: message.signature,
      ephemeralPublicKey: message.ephemeralPublicKey, wrappedKey: message.wrappedKey, publicKeyHash: message.publicKeyHash,
      transactionID: message.transactionID, applicationData: message.applicationData)
  }
}

extension PaymentTokenVersion {
  fileprivate var applePay: ApplePayTokenVersion {
    switch self {
    case .ecV1: .ecV1
    case .rsaV1: .rsaV1
    }
  }
}

/// The keyed digest under which audit and replay guard know the token's transaction.
func transactionDigest(_ token: borrowing PaymentTokenMessage, _ context: OperationContext) throws(OperationError) -> KeyedDigest {
  do throws(CryptoError) { return try context.digests.digest(.transaction, of: token.transactionID) } catch { throw OperationError(error) }
}
