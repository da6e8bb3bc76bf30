package import Crypto
package import Format

extension KeyStore {
  /// Gives a merchant's key, or a partner's, a certificate, or another in place of the one that it has. [KS-ATTACH]
  ///
  /// Unless the key was given an end, it ends with the certificate.
  ///
  /// - Throws: `KeyStoreError.unknownKey`; `.importRefused` if it certifies another key or merchant, the key has it already, or the key is past the
  ///   states that need one.
  package func attach(_ certificate: Certificate, to id: KeyID, by persons: Persons? = nil, anchor: AuditAnchor) throws(KeyStoreError) {
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
  fileprivate func check(_ certificate: Certificate, _ new: CertificateReference) throws(KeyStoreError) {
    guard role.isCertified else { throw .importRefused(.notMerchants) }
    guard self.certificate != new, state == .preActive || state == .active else { throw .importRefused(.certificatePresent) }
    guard check == .spki(certificate.spki) else { throw .importRefused(.certificateKey) }
    guard let merchant else {
      guard certificate.isForEncryption else { throw .importRefused(.certificateUse) }
      return
    }
    let certified: MerchantIdentifier
    do throws(CryptoError) { certified = try MerchantIdentifier(certificate) } catch { throw .importRefused(.merchantExtension) }
    guard certified == merchant else { throw .importRefused(.merchantMismatch) }
  }
}
