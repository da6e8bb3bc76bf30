import Crypto

/// Why no pass was provisioned.
package enum ProvisioningError: Error, Equatable, Sendable {
  /// The caller's data, or Apple's certificates as the caller supplied them.
  case rejected(ProvisioningRejection)
  /// The arena is full.
  case exhausted
  /// OpenSSL refused something that must work: our own fault.
  case backend
}

/// The check at which a pass was rejected, in the order of the checks.
package enum ProvisioningRejection: Equatable, Sendable {
  /// The configuration needs this member and the caller gave none.
  case missing(PassMember)
  /// The configuration has no such member, or it was given in two forms.
  case surplus(PassMember)
  /// The member's value is malformed.
  case value(PassMember)
  /// What was supplied as a certificate is none.
  case certificate
  /// Not exactly one certificate with the marker of Apple's encryption leaf.
  case leafMarker
  /// Not exactly one certificate besides leaf and root.
  case chainLength
  case intermediateMarker
  case intermediateName
  /// Leaf, intermediate and pinned root do not sign one another.
  case chain
  /// The leaf's key may not encipher keys.
  case keyUsage
  /// A critical extension that is not enforced here.
  case criticalExtension
  /// The leaf's key is not on P-256.
  case leafCurve
  case certificateValidity
}

extension ProvisioningError {
  init(_ error: CryptoError, at stage: ProvisioningRejection) {
    switch error {
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed, .invalidCertificate:
      self = .rejected(stage)
    case .exhausted: self = .exhausted
    case .backend: self = .backend
    }
  }

  /// The meaning of a failure that cannot be the caller's fault.
  init(_ error: CryptoError) { self = error == .exhausted ? .exhausted : .backend }
}
