internal import Crypto

/// Why a payment token was not opened.
package enum TokenError: Error, Equatable, Sendable {
  /// The token's fault, or the caller's.
  case rejected(TokenRejection)
  /// The arena is full; nothing was learnt about the token.
  case exhausted
  /// OpenSSL refused something that must work: our own fault.
  case backend
}

/// The check at which a token was rejected, in the order of the checks.
///
/// The order is Apple's ("Payment token format reference"), and that of `Wire.Stage`, which names them in the audit log.
package enum TokenRejection: Equatable, CaseIterable, Sendable {
  /// A field's size.
  case format
  /// Fields of another version than the token's.
  case version
  /// The signature is not detached CMS SignedData with one signer, or not within our bounds.
  case cms
  /// Not exactly one certificate with the payment leaf's marker.
  case leafMarker
  /// Not exactly one certificate with the intermediate's marker.
  case intermediateMarker
  /// A further certificate that is not the root.
  case extraCertificate
  case chain
  /// The signer is not the leaf.
  case signer
  /// Algorithms other than those of the token's version.
  case algorithm
  case signedAttributes
  case messageDigest
  case signature
  /// Leaf or intermediate were not valid when the token was signed.
  case certificateValidity
  /// Signed too long before, or after, the time of the transaction.
  case signingTime
  case publicKeyHash
  /// The ephemeral or the wrapped key.
  case keyAgreement
  case tag
  /// The decrypted bytes are not payment data.
  case plaintext
  /// Not the currency, amount or application data that the caller expects.
  case expectation
}

extension TokenError {
  /// The meaning of a cryptographic failure at this stage; a full arena and our own faults are no rejections.
  init(_ error: CryptoError, at stage: TokenRejection) {
    switch error {
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed, .invalidCertificate: self = .rejected(stage)
    case .exhausted: self = .exhausted
    case .backend: self = .backend
    }
  }

  static func at<R: ~Copyable>(_ stage: TokenRejection, _ body: () throws(CryptoError) -> R) throws(TokenError) -> R {
    do throws(CryptoError) { return try body() } catch { throw TokenError(error, at: stage) }
  }
}
