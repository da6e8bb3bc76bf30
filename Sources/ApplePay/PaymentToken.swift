import Crypto
package import Format

/// The decoded fields of one payment token, borrowed; only their sizes have been checked.
///
/// Source: Apple, "Payment token format reference".
package struct PaymentToken: ~Escapable {
  package let version: ApplePayTokenVersion
  /// Ciphertext and 16-byte tag.
  package let data: Span<UInt8>
  /// Detached CMS SignedData.
  package let signature: Span<UInt8>
  /// What the content key comes from: the ephemeral key's SubjectPublicKeyInfo (EC_v1) or the
  /// wrapped key (RSA_v1).
  package let keySource: Span<UInt8>
  /// SHA-256 of the merchant key's SubjectPublicKeyInfo, 32 bytes; not signed, so it only says
  /// which key to try.
  package let publicKeyHash: Span<UInt8>
  /// 32 bytes.
  package let transactionID: Span<UInt8>
  /// 32 bytes, or none.
  package let applicationData: Span<UInt8>

  /// - Throws: `.format` for a field of another size, `.version` if the version requires the other
  ///   key field.
  @_lifetime(
    copy data, copy signature, copy ephemeralPublicKey, copy wrappedKey, copy publicKeyHash,
    copy transactionID, copy applicationData)
  package init(
    version: ApplePayTokenVersion, data: Span<UInt8>, signature: Span<UInt8>,
    ephemeralPublicKey: Span<UInt8>, wrappedKey: Span<UInt8>,
    publicKeyHash: Span<UInt8>, transactionID: Span<UInt8>, applicationData: Span<UInt8>
  ) throws(TokenError) {
    guard Sizes.data.contains(data.count), Sizes.signature.contains(signature.count),
      publicKeyHash.count == Sizes.digest,
      transactionID.count == Sizes.digest,
      applicationData.isEmpty || applicationData.count == Sizes.digest,
      ephemeralPublicKey.isEmpty || ephemeralPublicKey.count == Sizes.ephemeralPublicKey,
      wrappedKey.isEmpty || wrappedKey.count == Sizes.wrappedKey,
      !ephemeralPublicKey.isEmpty || !wrappedKey.isEmpty
    else { throw .rejected(.format) }
    switch version {
    case .ecV1:
      guard wrappedKey.isEmpty else { throw .rejected(.version) }
      keySource = ephemeralPublicKey
    case .rsaV1:
      guard ephemeralPublicKey.isEmpty else { throw .rejected(.version) }
      keySource = wrappedKey
    }
    self.version = version
    self.data = data
    self.signature = signature
    self.publicKeyHash = publicKeyHash
    self.transactionID = transactionID
    self.applicationData = applicationData
  }

  /// In bytes.
  package enum Sizes {
    package static let data = 17...64 << 10
    package static let signature = 1...16 << 10
    package static let digest = 32
    package static let ephemeralPublicKey = 91
    /// RSA-2048, since Apple takes no other key. The size is exact, because Apple's digest does not
    /// mark where fields end. [OP-VERIFY-1]
    package static let wrappedKey = 256
  }
}

/// Why a payment token was not opened.
package enum TokenError: Error, Equatable {
  /// The token's fault, or the caller's.
  case rejected(TokenRejection)
  /// The arena is full; nothing was learnt about the token.
  case exhausted
  /// OpenSSL refused something that must work: our own fault.
  case backend
}

/// The check at which a token was rejected, in the order of the checks.
///
/// The order is Apple's ("Payment token format reference"), and that of `Wire.Stage`, which names
/// them in the audit log.
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
  /// The meaning of a cryptographic failure at this stage; a full arena and our own faults are no
  /// rejections.
  init(_ error: CryptoError, at stage: TokenRejection) {
    switch error {
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed, .invalidCertificate:
      self = .rejected(stage)
    case .exhausted: self = .exhausted
    case .backend: self = .backend
    }
  }

  static func at<R: ~Copyable>(_ stage: TokenRejection, _ body: () throws(CryptoError) -> R)
    throws(TokenError) -> R
  {
    do throws(CryptoError) { return try body() } catch { throw TokenError(error, at: stage) }
  }
}
