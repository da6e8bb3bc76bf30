package import CryptoBackend
internal import Encoding
package import Wire

extension KeyStore {
  /// Adds a certificate to a merchant's key that has none; unless the key has an end already, it ends with the certificate. [KS-ATTACH]
  ///
  /// - Throws: `KeyStoreError.unknownKey`; `.importRefused` if it certifies another key or merchant, or the key is past the states that need one.
  package func attach(_ certificate: Certificate, to id: KeyID, anchor: AuditAnchor) throws(KeyStoreError) {
    try change(anchor) { (manifest, slots) throws(KeyStoreError) in
      guard let slot = slots[id] else { throw .unknownKey }
      var record = slot.record
      try record.check(certificate)
      record.certificate = CertificateReference(digest: SHA256.hash(certificate.der))
      record.notAfter = record.notAfter ?? certificate.notAfter
      guard hasPeriod(record.notBefore, record.notAfter) else { throw .importRefused(.period) }
      try directory.write(.certificate(id), certificate.der)
      manifest.replace(record)
      slots[id] = slot.with(record, certificate: certificate)
    }
  }
}

extension KeyRecord {
  fileprivate func check(_ certificate: Certificate) throws(KeyStoreError) {
    guard let merchant else { throw .importRefused(.notMerchants) }
    guard self.certificate == nil, state == .preActive || state == .active else { throw .importRefused(.certificatePresent) }
    guard check == .spki(certificate.spki) else { throw .importRefused(.certificateKey) }
    let certified: MerchantIdentifier
    do throws(CryptoError) { certified = try MerchantIdentifier(certificate) } catch { throw .importRefused(.merchantExtension) }
    guard certified == merchant else { throw .importRefused(.merchantMismatch) }
  }
}
