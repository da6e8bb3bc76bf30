package import Crypto

/// The root at which every chain must end: a name and a key, which come only from here or the configuration.
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
      publicKey: try PublicKey(spki: AppleRootCAG3.spki), subject: AppleRootCAG3.subject, fingerprint: fingerprint)
  }

  /// Another root, for a sandbox; the caller ensures that this is one.
  ///
  /// - Throws: `CryptoError.invalidCertificate` if it may not sign certificates.
  package init(_ certificate: Certificate) throws(CryptoError) {
    guard certificate.isCA, certificate.keyUsage?.contains(.certificateSigning) ?? true else { throw .invalidCertificate }
    self.init(publicKey: certificate.publicKey, subject: certificate.subjectDER, fingerprint: SHA256.hash(certificate.der))
  }

  private init(publicKey: PublicKey, subject: [UInt8], fingerprint: Digest256) {
    (self.publicKey, self.subject, self.fingerprint) = (publicKey, subject, fingerprint)
  }
}
