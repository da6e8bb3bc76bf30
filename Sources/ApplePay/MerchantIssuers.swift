package import Crypto

/// The CAs whose certificates a merchant's processing key takes: Apple's, or a sandbox's root.
package struct MerchantIssuers: Sendable {
  private struct Issuer {
    /// A Name in DER.
    let subject: [UInt8]
    let publicKey: PublicKey
  }

  private let issuers: [Issuer]

  /// Apple Worldwide Developer Relations CA - G2, and further CAs that Apple Root CA - G3 has signed.
  ///
  /// - Throws: `CryptoError.invalidCertificate` if that root has not signed one of them, or it is no CA.
  package static func apple(and others: [Certificate] = []) throws(CryptoError) -> MerchantIssuers {
    let root = try TrustAnchor.appleRootCAG3()
    var issuers = [Issuer(subject: AppleWWDRCAG2.subject, publicKey: try PublicKey(spki: AppleWWDRCAG2.spki))]
    for other in others {
      guard other.isIssuer(under: root) else { throw .invalidCertificate }
      issuers.append(Issuer(subject: other.subjectDER, publicKey: other.publicKey))
    }
    return MerchantIssuers(issuers: issuers)
  }

  package static func sandbox(_ root: TrustAnchor) -> MerchantIssuers {
    MerchantIssuers(issuers: [Issuer(subject: root.subject, publicKey: root.publicKey)])
  }

  /// Whether one of them has issued a certificate.
  package func issued(_ certificate: Certificate) -> Bool {
    !certificate.isCA && issuers.contains { certificate.issuerDER == $0.subject && certificate.isSigned(by: $0.publicKey) }
  }
}
