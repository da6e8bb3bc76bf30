package import Crypto

/// The root at which every chain must end: a name and a key, which come only from here or the
/// configuration.
package struct TrustAnchor: Sendable {
  package let publicKey: PublicKey
  /// A Name in DER.
  package let subject: [UInt8]
  /// SHA-256 of the certificate.
  package let fingerprint: Digest256

  /// Apple Root CA - G3, the only anchor in production.
  ///
  /// - Throws: `CryptoError.exhausted` or `.backend`.
  package static func appleRootCAG3() throws(CryptoError) -> TrustAnchor {
    guard let fingerprint = Digest256(AppleRootCAG3.fingerprint) else { throw .backend }
    return TrustAnchor(
      publicKey: try PublicKey(spki: AppleRootCAG3.spki), subject: AppleRootCAG3.subject,
      fingerprint: fingerprint)
  }

  /// Another root, for a sandbox; the caller ensures that this is one.
  ///
  /// - Throws: `CryptoError.invalidCertificate` if it may not sign certificates.
  package init(_ certificate: Certificate) throws(CryptoError) {
    guard certificate.isCA, certificate.keyUsage?.contains(.certificateSigning) ?? true else {
      throw .invalidCertificate
    }
    self.init(
      publicKey: certificate.publicKey, subject: certificate.subjectDER,
      fingerprint: SHA256.hash(certificate.der))
  }

  private init(publicKey: PublicKey, subject: [UInt8], fingerprint: Digest256) {
    self.publicKey = publicKey
    self.subject = subject
    self.fingerprint = fingerprint
  }
}

/// Apple Root CA - G3, valid 2014-04-30 to 2039-04-30, as published at
/// apple.com/certificateauthority (AppleRootCA-G3.cer).
///
/// A verifier needs only these three values of the certificate; a test compares them with Apple's
/// file.
enum AppleRootCAG3 {
  /// SubjectPublicKeyInfo, P-384, 120 bytes.
  static let spki: [UInt8] = [
    0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B,
    0x81, 0x04, 0x00, 0x22,
    0x03, 0x62, 0x00, 0x04,
    0x98, 0xE9, 0x2F, 0x3D, 0x40, 0x72, 0xA4, 0xED, 0x93, 0x22, 0x72, 0x81, 0x13, 0x1C, 0xDD, 0x10,
    0x95, 0xF1, 0xC5, 0xA3,
    0x4E, 0x71, 0xDC, 0x14, 0x16, 0xD9, 0x0E, 0xE5, 0xA6, 0x05, 0x2A, 0x77, 0x64, 0x7B, 0x5F, 0x4E,
    0x38, 0xD3, 0xBB, 0x1C,
    0x44, 0xB5, 0x7F, 0xF5, 0x1F, 0xB6, 0x32, 0x62, 0x5D, 0xC9, 0xE9, 0x84, 0x5B, 0x4F, 0x30, 0x4F,
    0x11, 0x5A, 0x00, 0xFD,
    0x58, 0x58, 0x0C, 0xA5, 0xF5, 0x0F, 0x2C, 0x4D, 0x07, 0x47, 0x13, 0x75, 0xDA, 0x97, 0x97, 0x97,
    0x6F, 0x31, 0x5C, 0xED,
    0x2B, 0x9D, 0x7B, 0x20, 0x3B, 0xD8, 0xB9, 0x54, 0xD9, 0x5E, 0x99, 0xA4, 0x3A, 0x51, 0x0A, 0x31,
  ]

  /// The subject, a Name in DER: CN=Apple Root CA - G3, OU=Apple Certification Authority, O=Apple
  /// Inc., C=US.
  static let subject: [UInt8] =
    [0x30, 0x67, 0x31, 0x1B, 0x30, 0x19, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, 0x12]
    + Array("Apple Root CA - G3".utf8) + ending

  /// What the names of Apple's CAs have in common: OU=Apple Certification Authority, O=Apple Inc.,
  /// C=US.
  static let ending: [UInt8] =
    [0x31, 0x26, 0x30, 0x24, 0x06, 0x03, 0x55, 0x04, 0x0B, 0x0C, 0x1D]
    + Array("Apple Certification Authority".utf8)
    + [0x31, 0x13, 0x30, 0x11, 0x06, 0x03, 0x55, 0x04, 0x0A, 0x0C, 0x0A] + Array("Apple Inc.".utf8)
    + [0x31, 0x0B, 0x30, 0x09, 0x06, 0x03, 0x55, 0x04, 0x06, 0x13, 0x02] + Array("US".utf8)

  /// SHA-256 of the certificate: 63343ABF B89A6A03 EBB57E9B 3F5FA7BE 7C4F5C75 6F3017B3 A8C488C3
  /// 653E9179.
  static let fingerprint: [UInt8] = [
    0x63, 0x34, 0x3A, 0xBF, 0xB8, 0x9A, 0x6A, 0x03, 0xEB, 0xB5, 0x7E, 0x9B, 0x3F, 0x5F, 0xA7, 0xBE,
    0x7C, 0x4F, 0x5C, 0x75,
    0x6F, 0x30, 0x17, 0xB3, 0xA8, 0xC4, 0x88, 0xC3, 0x65, 0x3E, 0x91, 0x79,
  ]
}

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
