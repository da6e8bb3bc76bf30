package import CryptoBackend
package import Encoding

/// What one merchant certificate has to do with a token.
package struct CertificateFinding: Sendable {
  /// What Apple issued it for, as its common name says.
  package enum Purpose: String, Sendable {
    case processing = "payment processing"
    case identity = "merchant identity"
    case other = "unknown purpose"
  }

  /// Whose it is.
  package enum Merchant: Hashable, Sendable {
    /// The subject's UID, of which the certificate's extension is the hash.
    case named(String)
    /// It has no merchant extension.
    case none
    /// Extension and UID do not belong together, so no content key derived with either would be right.
    case inconsistent
  }

  /// Whether the token was made for its key.
  package let isTokens: Bool
  package let purpose: Purpose
  package let merchant: Merchant
  package let publicKeyHash: Digest256
  package let notBefore, notAfter: Timestamp

  init(_ certificate: Certificate, tokenFor hash: Digest256) {
    publicKeyHash = SHA256.hash(certificate.spki)
    isTokens = publicKeyHash == hash
    purpose = Purpose(commonName: certificate.subjectCommonName ?? "")
    merchant = Merchant(certificate)
    (notBefore, notAfter) = (certificate.notBefore, certificate.notAfter)
  }

  func isValid(at moment: Timestamp) -> Bool { notBefore <= moment && moment <= notAfter }
}

extension CertificateFinding.Purpose {
  init(commonName: String) {
    if commonName.hasPrefix("Apple Pay Merchant Identity:") {
      self = .identity
    } else if commonName.hasPrefix("Apple Pay Payment Processing:") || commonName.hasPrefix("Merchant ID:") {
      self = .processing
    } else {
      self = .other
    }
  }
}

extension CertificateFinding.Merchant {
  init(_ certificate: Certificate) {
    guard certificate.hasExtension(.appleMerchantIdentifier) else {
      self = .none
      return
    }
    guard (try? certificate.merchantIdentifierHash()) != nil, let name = certificate.subjectUID else {
      self = .inconsistent
      return
    }
    self = .named(name)
  }
}
