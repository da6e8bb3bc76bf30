package import CryptoBackend
package import Encoding
package import KeyBlock
internal import SecretMemory
internal import Wire

/// A key to take into the store, and what it is to be there.
package struct KeyImport: ~Copyable {
  package let label: KeyLabel
  package let role: KeyRole
  package let material: KeyMaterial
  package let certificate: Certificate?
  /// Needed where there is no certificate; must be the certificate's where there is one.
  package let merchant: MerchantIdentifier?
  /// Whether the key is active from the start.
  package let activates: Bool
  /// nil for the certificate's own end.
  package let notAfter: Timestamp?
  package let notBefore: Timestamp?
  package let useLimit: UInt64?
  /// Who takes it in, where somebody asked for it.
  package let persons: Persons?
  /// Seconds.
  package let freshnessWindow: Int?
  /// Needed by the roles of one-time values.
  package let otp: OTPAttributes?
  /// Whether the key may leave under an exchange key.
  package let isExportable: Bool
  /// Of the block in which another HSM sent it.
  package let header: KeyBlockHeader?

  package init(
    label: KeyLabel, role: KeyRole, material: consuming KeyMaterial, certificate: Certificate? = nil, merchant: MerchantIdentifier? = nil,
    activates: Bool = true, notBefore: Timestamp? = nil, notAfter: Timestamp? = nil, useLimit: UInt64? = nil, freshnessWindow: Int? = nil,
    otp: OTPAttributes? = nil, isExportable: Bool = false, from header: KeyBlockHeader? = nil, by persons: Persons? = nil
  ) {
    (self.label, self.role, self.certificate, self.merchant) = (label, role, certificate, merchant)
    (self.activates, self.notAfter, self.freshnessWindow, self.otp) = (activates, notAfter, freshnessWindow, otp)
    (self.notBefore, self.useLimit, self.persons) = (notBefore, useLimit, persons)
    (self.isExportable, self.header) = (isExportable, header)
    self.material = material
  }

  consuming func takeMaterial() -> KeyMaterial { material }
}

extension KeyStore {
  /// Takes a key in: checked, wrapped, durable, and ready for use when this returns.
  ///
  /// - Throws: `KeyStoreError.importRefused`; `.storage`, `.changedOnDisk`, `.crypto`.
  package func importKey(_ request: consuming KeyImport, at now: Timestamp, anchor: AuditAnchor) throws(KeyStoreError) -> KeyRecord {
    let new = try newKey(request, at: now, anchor: anchor)
    try add(new, anchor: anchor)
    return new.record
  }

  /// Checks and wraps a key; the store is as it was until the key is added to it.
  ///
  /// - Throws: `KeyStoreError.importRefused`, `.crypto`.
  package func newKey(_ request: consuming KeyImport, at now: Timestamp, anchor: AuditAnchor) throws(KeyStoreError) -> NewKey {
    do throws(ImportRefusal) { try request.check() } catch { throw .importRefused(error) }
    let merchant = try request.agreedMerchant()
    return try NewKey(consume request, merchant: merchant, at: now, auditSize: anchor.size, keys)
  }

  /// Puts a new key into the store: durable, and ready for use when this returns.
  ///
  /// - Throws: `KeyStoreError.importRefused`; `.storage`, `.changedOnDisk`.
  package func add(_ new: NewKey, anchor: AuditAnchor) throws(KeyStoreError) {
    let record = new.record
    try change(anchor) { (manifest, slots) throws(KeyStoreError) in
      guard !manifest.keys.contains(where: { $0.id == record.id }) else { throw .importRefused(.keyPresent) }
      guard !manifest.keys.contains(where: { $0.label == record.label }) else { throw .importRefused(.labelTaken) }
      try new.write(to: directory)
      manifest.insert(record)
      slots[record.id] = new.slot
    }
  }
}

extension KeyImport {
  /// What can be refused without looking at the store.
  fileprivate borrowing func check() throws(ImportRefusal) {
    guard !role.isInternal else { throw .role }
    guard material.algorithm(in: role) != nil else { throw .algorithm }
    guard role.isMerchant || merchant == nil && certificate == nil && freshnessWindow == nil else { throw .notMerchants }
    guard otp.map({ $0.fits(role) }) ?? (role.otpKind == nil) else { throw .otp }
    guard freshnessWindow.map(KeyRecord.freshnessWindows.contains) ?? true else { throw .freshnessWindow }
    if let header {
      guard role.takes(header), role.hashAgrees(with: header, otp) else { throw .blockUse }
      guard !isExportable || header.exportability != .nonExportable else { throw .exportability }
    }
    guard useLimit.map(KeyRecord.useLimits.contains) ?? true else { throw .useLimit }
    guard hasPeriod(notBefore, notAfter ?? certificate?.notAfter) else { throw .period }
    guard let certificate else { return }
    switch material {
    case .privateKey(let key): if key.spki != certificate.spki { throw .certificateKey }
    case .symmetric: throw .certificateKey
    }
  }

  /// Whose key it is, by the certificate and by the request; nobody's, for a role that is no merchant's. [KS-IMPORT-MERCHANT]
  fileprivate borrowing func agreedMerchant() throws(KeyStoreError) -> MerchantIdentifier? {
    guard role.isMerchant else { return nil }
    guard let certificate else {
      guard let merchant else { throw .importRefused(.merchantMissing) }
      return merchant
    }
    let certified: MerchantIdentifier
    do throws(CryptoError) { certified = try MerchantIdentifier(certificate) } catch { throw .importRefused(.merchantExtension) }
    guard merchant == nil || merchant == certified else { throw .importRefused(.merchantMismatch) }
    return certified
  }
}
