package import ApplePay
package import Encoding

/// One thing for which a token cannot be opened.
package enum TokenProblem: Equatable, Sendable {
  /// It is no token, or one of Apple's simulator.
  case text(ApplePayTokenJSONError)
  /// A field of so many bytes.
  case size(ApplePayTokenMember, Int)
  /// Apple's signature fails at this check.
  case signature(TokenRejection)
  /// The signature is good for the token without its application data.
  case unsignedApplicationData
  case stale(seconds: Int64, window: UInt32)
  case fromTheFuture(seconds: Int64, window: UInt32)
  /// The ephemeral public key is no point on P-256.
  case ephemeralKey
  /// Made for the key of none of the certificates given.
  case otherCertificate
  /// Made for a key that belongs to a merchant identity certificate only.
  case identityCertificate
  /// The certificate contradicts itself about the merchant, and the content key is derived with the merchant.
  case merchantIdentifier
}

/// Something to know that does not stop a token.
package enum TokenNote: Hashable, Sendable {
  /// Apple's sandbox signed it, which production's root vouches for as well.
  case appleSandbox
  /// The merchant's certificate had ended, or not begun, when the token was signed.
  case certificateNotValid(at: Timestamp)
}
