package import Crypto
package import Format

extension KeySlot {
  /// A PKCS #10 request to Apple for the certificate of a merchant's key: DER, signed with SHA-256.
  ///
  /// The subject follows Apple's certificates, UID first; Apple replaces it with its own.
  /// - Parameters:
  ///   - organization: at most 64 characters; nil for none.
  ///   - country: two letters; nil for none.
  /// - Throws: `KeyStoreError.requestRefused` for a role or size that Apple does not certify, or a
  ///   subject that X.520 does not allow.
  package func certificateRequest(organization: String?, country: String?) throws(KeyStoreError)
    -> [UInt8]
  {
    guard let key = privateKey, let purpose = record.role.certifiedPurpose,
      record.algorithm.isCertifiedByApple, let merchant = record.merchant
    else { throw .requestRefused }
    var subject: [CertificateRequest.Attribute] = [.userID(merchant.text)]
    // X.520 allows a common name of 64 characters; a longer one is left out, since the UID says the
    // same.
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
  /// As `KeySlot.certificateRequest`, for a key named by people at a ceremony, without asking
  /// policy.
  ///
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongState`; `.requestRefused`.
  package func certificateRequest(
    for label: KeyLabel, organization: String?, country: String?, at now: Timestamp
  ) throws(KeyStoreError) -> [UInt8] {
    try slot(labelled: label, serving: .certificateRequest, at: now).certificateRequest(
      organization: organization, country: country)
  }
}

extension KeyAlgorithm {
  /// Apple certifies only EC keys on P-256 and RSA keys of 2048 bits. [KS-CSR-KEY]
  package var isCertifiedByApple: Bool {
    self == .asymmetric(.p256) || self == .asymmetric(.rsa(bits: 2048))
  }
}

extension KeyStore {
  /// Gives a merchant's key, or a partner's, a certificate, or another in place of the one that it
  /// has. [KS-ATTACH]
  ///
  /// Unless the key was given an end, it ends with the certificate.
  ///
  /// - Throws: `KeyStoreError.unknownKey`; `.importRefused` if it certifies another key or
  ///   merchant, the key has it already, or the key is past the states that need one.
  package func attach(
    _ certificate: Certificate, to id: KeyID, by persons: Persons? = nil, anchor: AuditAnchor
  ) throws(KeyStoreError) {
    var replaced: CertificateReference?
    try change(anchor, by: persons) { (manifest, slots) throws(KeyStoreError) in
      guard let slot = slots[id] else { throw .unknownKey }
      var record = slot.record
      let new = CertificateReference(digest: SHA256.hash(certificate.der))
      try record.check(certificate, new)
      replaced = record.certificate
      record.certificate = new
      // An end that the certificate before gave goes with it.
      let given = record.notAfter == slot.certificate?.notAfter ? nil : record.notAfter
      record.notAfter = given ?? certificate.notAfter
      guard hasPeriod(record.notBefore, record.notAfter) else { throw .importRefused(.period) }
      try directory.write(.certificate(id, new.digest), certificate.der)
      manifest.replace(record)
      slots[id] = slot.with(record, certificate: certificate)
    }
    // The manifest is durable: a crash here leaves a file that the next unlock removes.
    if let replaced { try directory.remove(.certificate(id, replaced.digest)) }
  }
}

extension KeyRecord {
  fileprivate func check(_ certificate: Certificate, _ new: CertificateReference)
    throws(KeyStoreError)
  {
    guard role.isCertified else { throw .importRefused(.notMerchants) }
    guard self.certificate != new, state == .preActive || state == .active else {
      throw .importRefused(.certificatePresent)
    }
    guard check == .spki(certificate.spki) else { throw .importRefused(.certificateKey) }
    guard let merchant else {
      guard certificate.isForEncryption else { throw .importRefused(.certificateUse) }
      return
    }
    _ = try certificate.merchant(expecting: merchant)
  }
}
