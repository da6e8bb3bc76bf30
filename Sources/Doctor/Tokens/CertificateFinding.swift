package import Crypto
package import Format

/// How one merchant certificate relates to a token.
package struct CertificateFinding: Sendable {
  /// The purpose for which Apple issued it, by its common name.
  package enum Purpose: String, Sendable {
    case processing = "payment processing"
    case identity = "merchant identity"
    case other = "unknown purpose"
  }

  /// The merchant that the certificate names.
  package enum Merchant: Hashable, Sendable {
    /// The subject's UID, of which the certificate's extension is the hash.
    case named(String)
    /// It has no merchant extension.
    case none
    /// Extension and UID contradict each other, so a content key derived with either would be
    /// wrong.
    case inconsistent
  }

  /// Whether the token was made for the certificate's key.
  package let isTokens: Bool
  package let purpose: Purpose
  package let merchant: Merchant
  package let publicKeyHash: Digest256
  package let notBefore, notAfter: Timestamp

  init(_ certificate: Certificate, tokenFor hash: Digest256) {
    publicKeyHash = SHA256.hash(certificate.spki)
    isTokens = publicKeyHash == hash
    purpose = Purpose(certificate)
    merchant = Merchant(certificate)
    notBefore = certificate.notBefore
    notAfter = certificate.notAfter
  }

  func isValid(at moment: Timestamp) -> Bool { notBefore <= moment && moment <= notAfter }
}

extension CertificateFinding.Purpose {
  /// By the name that Apple gives the certificate.
  package init(_ certificate: Certificate) {
    let commonName = certificate.subjectCommonName ?? ""
    if commonName.hasPrefix("Apple Pay Merchant Identity:") {
      self = .identity
    } else if commonName.hasPrefix("Apple Pay Payment Processing:")
      || commonName.hasPrefix("Merchant ID:")
    {
      self = .processing
    } else {
      self = .other
    }
  }
}

extension CertificateFinding.Merchant {
  package init(_ certificate: Certificate) {
    guard certificate.hasExtension(.appleMerchantIdentifier) else {
      self = .none
      return
    }
    guard (try? certificate.merchantIdentifierHash()) != nil, let name = certificate.subjectUID
    else {
      self = .inconsistent
      return
    }
    self = .named(name)
  }
}
