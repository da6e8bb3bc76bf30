internal import Crypto
package import Format

extension KeySlot {
  /// A PKCS #10 request to Apple for the certificate of a merchant's key: DER, signed with SHA-256.
  ///
  /// The subject follows Apple's certificates, UID first; Apple replaces it with its own.
  /// - Parameters:
  ///   - organization: at most 64 characters; nil for none.
  ///   - country: two letters; nil for none.
  /// - Throws: `KeyStoreError.requestRefused` for a role or size that Apple does not certify, or a subject that X.520 does not allow.
  package func certificateRequest(organization: String?, country: String?) throws(KeyStoreError) -> [UInt8] {
    guard let key = privateKey, let purpose = record.role.certifiedPurpose, record.algorithm.isCertifiedByApple, let merchant = record.merchant
    else { throw .requestRefused }
    var subject: [CertificateBuilder.Attribute] = [.userID(merchant.text)]
    // X.520 allows a common name of 64 characters; a longer one is left out, since the UID says the same.
    let name = "\(purpose):\(merchant.text)"
    if name.utf8.count <= 64 { subject.append(.commonName(name)) }
    if let organization { subject.append(.organization(organization)) }
    if let country { subject.append(.country(country)) }
    do throws(CryptoError) {
      return try CertificateRequest.make(subject: subject, for: key)
    } catch {
      throw error == .invalidInput ? .requestRefused : .crypto(error)
    }
  }
}

extension KeyStore {
  /// As `KeySlot.certificateRequest`, for a key named by people at a ceremony, without asking policy.
  ///
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongState`; `.requestRefused`.
  package func certificateRequest(for label: KeyLabel, organization: String?, country: String?, at now: Timestamp) throws(KeyStoreError) -> [UInt8] {
    try slot(labelled: label, serving: .certificateRequest, at: now).certificateRequest(organization: organization, country: country)
  }
}

extension KeyAlgorithm {
  /// Apple certifies only EC keys on P-256 and RSA keys of 2048 bits. [KS-CSR-KEY]
  package var isCertifiedByApple: Bool { self == .asymmetric(.p256) || self == .asymmetric(.rsa(bits: 2048)) }
}
