// ApplePay: Apple's formats: payment tokens, passes for Wallet, and the networks' one-time codes.
// It verifies and decrypts what it is given, under keys and times that it is given.
// It must not know policy, the key store, the log or who asks.
// Called by Operations, and by Service for their order; by Doctor without a key.

import Crypto
package import Format

/// Verifies Apple's signature on payment tokens against one anchor, and caches verified chains.
///
/// Source of the steps and their order: Apple, "Payment token format reference", "Verify the
/// signature".
package final class PaymentTokenVerifier: Sendable {
  private let anchor: TrustAnchor
  let chains = ChainCache<VerifiedChain>()
  private let signers = SigningCertificates()
  private let tables: LeafTables

  package init(anchor: TrustAnchor, tables: LeafTables = .none) {
    self.anchor = anchor
    self.tables = tables
  }

  /// Those of Apple's certificates under which tokens came.
  package var signingCertificates: [SigningCertificate] { signers.all }

  /// Runs all checks, in order and without exception.
  ///
  /// - Parameters:
  ///   - now: when the transaction takes place.
  ///   - window: how many seconds the signing time may be before or after `now`.
  /// - Throws: `TokenError` with the first check that failed as its stage, from `.cms` to
  ///   `.signingTime`.
  @_lifetime(copy token)
  package func verify(_ token: PaymentToken, now: Timestamp, window: UInt32) throws(TokenError)
    -> VerifiedToken
  {
    let signed = try SignedData(token.signature)
    let chain = try chain(of: signed)
    guard DER.isEqual(signed.issuer, chain.issuer), DER.isEqual(signed.serial, chain.serial) else {
      throw .rejected(.signer)
    }
    guard TokenAlgorithms.areThose(of: token.version, signed, leafKey: chain.leafKey.key) else {
      throw .rejected(.algorithm)
    }
    let attributes = try SignedAttributes(signed.signedAttributes)
    let digest = Self.digest(of: token)
    guard Digest256(attributes.messageDigest) == digest else { throw .rejected(.messageDigest) }
    guard chain.leafKey.verify(signature: signed.signature, message: attributes.signedMessage.span)
    else {
      throw .rejected(.signature)
    }
    guard chain.isValid(at: attributes.signingTime) else { throw .rejected(.certificateValidity) }
    guard attributes.signingTime.isWithin(seconds: window, of: now) else {
      throw .rejected(.signingTime)
    }
    signers.note(chain.serial, until: chain.validUntil, at: now)
    return VerifiedToken(
      token, TokenProof(digest, token.version, signingTime: attributes.signingTime))
  }

  /// As above, of a token that passed all checks before: its fields must be those, and its signing
  /// time is judged anew.
  ///
  /// - Throws: `TokenError` with `.messageDigest` if the fields are others, or `.signingTime`.
  @_lifetime(copy token)
  package func verify(_ token: PaymentToken, by proof: TokenProof, now: Timestamp, window: UInt32)
    throws(TokenError) -> VerifiedToken
  {
    guard proof.version == token.version, proof.digest == Self.digest(of: token) else {
      throw .rejected(.messageDigest)
    }
    guard proof.signingTime.isWithin(seconds: window, of: now) else {
      throw .rejected(.signingTime)
    }
    return VerifiedToken(token, proof)
  }

  private func chain(of signed: SignedData) throws(TokenError) -> VerifiedChain {
    // Certificates are BER elements, which state their own lengths, so no two lists of certificates
    // have the same bytes.
    let key = SHA256.hash(anchor.fingerprint.span, signed.certificateBytes)
    let certificates = signed.certificates
    return try chains.chain(key) { () throws(TokenError) in
      try VerifiedChain(certificates, anchor: anchor, tables)
    }
  }

  /// What messageDigest must be; application data is included only if there is some.
  private static func digest(of token: PaymentToken) -> Digest256 {
    var hasher = SHA256.Hasher()
    hasher.update(token.keySource)
    hasher.update(token.data)
    hasher.update(token.transactionID)
    hasher.update(token.applicationData)
    return hasher.finish()
  }
}

extension Timestamp {
  fileprivate func isWithin(seconds: UInt32, of other: Timestamp) -> Bool {
    let (difference, overflow) = microseconds.subtractingReportingOverflow(other.microseconds)
    return !overflow && difference.magnitude <= UInt64(seconds) * 1_000_000
  }
}

/// Proof that a token passed every check of Apple's signature, at a time and within a window that
/// the caller chose.
///
/// Only `PaymentTokenVerifier` makes one; it cannot be copied, so opening it uses it up.
package struct VerifiedToken: ~Copyable, ~Escapable {
  package let token: PaymentToken
  /// What of it can be kept.
  package let proof: TokenProof

  /// When Apple signed the token, in whole seconds.
  package var signingTime: Timestamp { proof.signingTime }

  @_lifetime(copy token)
  init(_ token: PaymentToken, _ proof: TokenProof) {
    self.token = token
    self.proof = proof
  }
}

/// That Apple's signature on a token passed every check, without the token: good for these very
/// fields alone.
///
/// Only `PaymentTokenVerifier` makes one.
package struct TokenProof: Hashable, Sendable {
  /// The signature's message digest, over all that Apple signed.
  let digest: Digest256
  let version: ApplePayTokenVersion
  package let signingTime: Timestamp

  init(_ digest: Digest256, _ version: ApplePayTokenVersion, signingTime: Timestamp) {
    self.digest = digest
    self.version = version
    self.signingTime = signingTime
  }
}
