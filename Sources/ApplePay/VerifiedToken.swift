internal import Crypto
package import Format

/// Proof that a token passed every check of Apple's signature, at a time and within a window that the caller chose.
///
/// Only `PaymentTokenVerifier` makes one; it cannot be copied, so opening it uses it up.
package struct VerifiedToken: ~Copyable, ~Escapable {
  package let token: PaymentToken
  /// What of it can be kept.
  package let proof: TokenProof

  /// When Apple signed the token, in whole seconds.
  package var signingTime: Timestamp { proof.signingTime }

  @_lifetime(copy token)
  init(_ token: PaymentToken, _ proof: TokenProof) { (self.token, self.proof) = (token, proof) }
}

/// That Apple's signature on a token passed every check, without the token: good for these very fields alone.
///
/// Only `PaymentTokenVerifier` makes one.
package struct TokenProof: Hashable, Sendable {
  /// The signature's message digest, over all that Apple signed.
  let digest: Digest256
  let version: ApplePayTokenVersion
  package let signingTime: Timestamp

  init(_ digest: Digest256, _ version: ApplePayTokenVersion, signingTime: Timestamp) {
    (self.digest, self.version, self.signingTime) = (digest, version, signingTime)
  }
}
