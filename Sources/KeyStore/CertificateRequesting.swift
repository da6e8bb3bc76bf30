internal import CryptoBackend
package import Encoding
internal import Wire

extension KeySlot {
  /// A PKCS #10 request for the certificate that Apple gives to a merchant's key: DER, signed with SHA-256.
  ///
  /// The subject reads as Apple writes it in the certificate, UID first; Apple puts its own in its place.
  /// - Parameters:
  ///   - organization: at most 64 characters; nil for none.
  ///   - country: two letters; nil for none.
  /// - Throws: `KeyStoreError.requestRefused` for a role or size that Apple does not certify, or a subject that X.520 does not take.
  package func certificateRequest(organization: String?, country: String?) throws(KeyStoreError) -> [UInt8] {
    guard let key = privateKey, let purpose = record.role.certifiedPurpose, record.algorithm.isCertifiedByApple, let merchant = record.merchant
    else { throw .requestRefused }
    var subject: [CertificateBuilder.Attribute] = [.userID(merchant.text)]
    // X.520 has room for 64 characters; the UID says the same.
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
  /// Likewise for a key that people at a ceremony name, where no policy is asked.
  ///
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongState`; `.requestRefused`.
  package func certificateRequest(for label: KeyLabel, organization: String?, country: String?, at now: Timestamp) throws(KeyStoreError) -> [UInt8] {
    try slot(labelled: label, serving: .certificateRequest, at: now).certificateRequest(organization: organization, country: country)
  }
}

extension KeyRole {
  /// What Apple's certificate for a key of this role is called; nil where it gives none. [KS-CSR-KEY]
  package var certifiedPurpose: String? {
    switch self {
    case .merchantProcessingEC, .merchantProcessingRSA: "Apple Pay Payment Processing"
    case .merchantIdentityRSA: "Apple Pay Merchant Identity"
    case .auditSigning, .auditDigest, .agreement, .sealing, .unsealing, .signingECDSA, .signingRSA, .signingEd25519, .macHMACSHA256,
      .macHMACSHA384, .macHMACSHA512, .macCMAC, .unwrappingRSA, .keyExchange, .keyExchangeTDEA, .otpVisa, .otpMastercard, .otpHOTP, .otpTOTP,
      .surrogate:
      nil
    }
  }
}

extension KeyAlgorithm {
  /// EC on P-256, and RSA of 2048 bits alone. [KS-CSR-KEY]
  package var isCertifiedByApple: Bool { self == .asymmetric(.p256) || self == .asymmetric(.rsa(bits: 2048)) }
}
