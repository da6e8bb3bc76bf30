package import Crypto
import Format

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
    guard let fingerprint = Digest256(hex: AppleRootCAG3.fingerprint) else { throw .backend }
    return TrustAnchor(
      publicKey: try PublicKey(hex: AppleRootCAG3.spki), subject: AppleRootCAG3.subject,
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
  static let spki =
    "3076301006072a8648ce3d020106052b810400220362000498e92f3d4072a4ed93227281131cdd1095f1c5a34e71dc1416d90ee5a6052a77647b5f4e38d3bb1c44b57ff51fb632625dc9e9845b4f304f115a00fd58580ca5f50f2c4d07471375da9797976f315ced2b9d7b203bd8b954d95e99a43a510a31"

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

  /// SHA-256 of the certificate.
  static let fingerprint =
    "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
}

extension PublicKey {
  /// Of a SubjectPublicKeyInfo in hexadecimal.
  fileprivate convenience init(hex spki: String) throws(CryptoError) {
    guard let spki = Hex.decode(spki) else { throw .backend }
    try self.init(spki: spki)
  }
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
      Issuer(subject: AppleWWDRCAG2.subject, publicKey: try PublicKey(hex: AppleWWDRCAG2.spki))
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
  static let spki =
    "3059301306072a8648ce3d020106082a8648ce3d03010703420004ddf0b7064bcfdd730413c44389039380fb5ef674ad4261525802265319c8632207095261cac4d957ef6d26688b74918cc4f9806828fc0968f010dae9d02ec91a"

  /// The subject, a Name in DER: CN=Apple Worldwide Developer Relations CA - G2, OU=Apple
  /// Certification Authority, O=Apple Inc., C=US.
  static let subject: [UInt8] =
    [0x30, 0x81, 0x80, 0x31, 0x34, 0x30, 0x32, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, 0x2B]
    + Array("Apple Worldwide Developer Relations CA - G2".utf8)
    + AppleRootCAG3.ending
}
