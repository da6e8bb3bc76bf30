package import ApplePay
package import Format
package import KistClient

/// A reason why a token cannot be opened.
package enum TokenProblem: Equatable, Sendable {
  /// There is no text at all.
  case nothing
  /// An object that has none of a token's members.
  case otherJSON
  /// It is no token, or one from Apple's simulator.
  case text(ApplePayTokenJSONError)
  /// A field has this wrong number of bytes.
  case size(ApplePayTokenMember, Int)
  /// Apple's signature fails at this check.
  case signature(TokenRejection)
  /// The signature is good for the token without its application data.
  case unsignedApplicationData
  case stale(seconds: Int64, window: UInt32)
  case fromTheFuture(seconds: Int64, window: UInt32)
  /// The ephemeral public key is no point on P-256.
  case ephemeralKey
  /// It was made for a key that is in none of the given certificates.
  case otherCertificate
  /// It was made for the key of a merchant identity certificate.
  case identityCertificate
  /// The certificate contradicts itself about the merchant, on whom the content key depends.
  case merchantIdentifier
}

/// A remark that does not prevent opening the token.
package enum TokenNote: Hashable, Sendable {
  /// Apple's sandbox signed it, which has the same root as production.
  case appleSandbox
  /// The merchant's certificate had ended, or not begun, when the token was signed.
  case certificateNotValid(at: Timestamp)
}
