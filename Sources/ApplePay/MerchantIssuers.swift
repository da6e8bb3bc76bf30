package import Crypto

/// The CAs whose certificates a merchant's processing key takes: Apple's, or a sandbox's root.
package struct MerchantIssuers: Sendable {
  private struct Issuer {
    /// A Name in DER.
    let subject: [UInt8]
    let publicKey: PublicKey
  }

  private let issuers: [Issuer]

  /// Apple Worldwide Developer Relations CA - G2, and further CAs that Apple Root CA - G3 has
  /// signed.
  ///
  /// - Throws: `CryptoError.invalidCertificate` if that root has not signed one of them, or it is
  ///   no CA.
  package static func apple(and others: [Certificate] = []) throws(CryptoError) -> MerchantIssuers {
    let root = try TrustAnchor.appleRootCAG3()
    var issuers = [
      Issuer(subject: AppleWWDRCAG2.subject, publicKey: try PublicKey(spki: AppleWWDRCAG2.spki))
    ]
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
    !certificate.isCA
      && issuers.contains {
        certificate.issuerDER == $0.subject && certificate.isSigned(by: $0.publicKey)
      }
  }
}

/// Apple Worldwide Developer Relations CA - G2, valid 2014-05-06 to 2029-05-06, under Apple Root
/// CA - G3; it issues merchants' EC certificates.
///
/// A verifier needs only these two values of the certificate; a test compares them with Apple's
/// file.
enum AppleWWDRCAG2 {
  /// SubjectPublicKeyInfo, P-256, 91 bytes.
  static let spki: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D,
    0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04, 0xDD, 0xF0, 0xB7, 0x06, 0x4B, 0xCF, 0xDD, 0x73, 0x04,
    0x13, 0xC4, 0x43, 0x89,
    0x03, 0x93, 0x80, 0xFB, 0x5E, 0xF6, 0x74, 0xAD, 0x42, 0x61, 0x52, 0x58, 0x02, 0x26, 0x53, 0x19,
    0xC8, 0x63, 0x22, 0x07,
    0x09, 0x52, 0x61, 0xCA, 0xC4, 0xD9, 0x57, 0xEF, 0x6D, 0x26, 0x68, 0x8B, 0x74, 0x91, 0x8C, 0xC4,
    0xF9, 0x80, 0x68, 0x28,
    0xFC, 0x09, 0x68, 0xF0, 0x10, 0xDA, 0xE9, 0xD0, 0x2E, 0xC9, 0x1A,
  ]

  /// The subject, a Name in DER: CN=Apple Worldwide Developer Relations CA - G2, OU=Apple
  /// Certification Authority, O=Apple Inc., C=US.
  static let subject: [UInt8] =
    [0x30, 0x81, 0x80, 0x31, 0x34, 0x30, 0x32, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, 0x2B]
    + Array("Apple Worldwide Developer Relations CA - G2".utf8)
    + AppleRootCAG3.ending
}
