package import Encoding

/// Proof that a token passed every check of Apple's signature, at a time and within a window that the caller chose.
///
/// Only `PaymentTokenVerifier` makes one; it cannot be copied, so opening it uses it up.
package struct VerifiedToken: ~Copyable, ~Escapable {
  package let token: PaymentToken
  /// When Apple signed the token, in whole seconds.
  package let signingTime: Timestamp

  @_lifetime(copy token)
  init(_ token: PaymentToken, signingTime: Timestamp) {
    self.token = token
    self.signingTime = signingTime
  }
}
