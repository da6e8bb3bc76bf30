package import Crypto
package import Format
import Host

/// A key to be imported, with the attributes that it will have.
package struct KeyImport: ~Copyable {
  package let label: KeyLabel
  package let role: KeyRole
  package let material: KeyMaterial
  package let certificate: Certificate?
  /// Required without a certificate; with one, it must be the certificate's.
  package let merchant: MerchantIdentifier?
  /// Whether the key is active from the start; if its period begins later, it waits all the same.
  /// [KS-PERIOD]
  package let activates: Bool
  /// Nil for the end of the certificate.
  package let notAfter: Timestamp?
  package let notBefore: Timestamp?
  package let useLimit: UInt64?
  /// Whether the key was made here, and comes from nowhere.
  package let isGenerated: Bool
  /// Who asked for the import, if anybody did.
  package let persons: Persons?
  /// Seconds.
  package let freshnessWindow: Int?
  /// Required by the roles of one-time values.
  package let otp: OTPAttributes?
  /// Whether the key may be exported under an exchange key.
  package let isExportable: Bool
  /// Of a partner's key: what the headers of its JWEs have besides.
  package let jweMembers: JWEMembers
  /// The header of the block in which another HSM sent the key.
  package let header: KeyBlockHeader?

  package init(
    label: KeyLabel, role: KeyRole, material: consuming KeyMaterial,
    certificate: Certificate? = nil, merchant: MerchantIdentifier? = nil,
    activates: Bool = true, notBefore: Timestamp? = nil, notAfter: Timestamp? = nil,
    useLimit: UInt64? = nil, freshnessWindow: Int? = nil,
    otp: OTPAttributes? = nil, isExportable: Bool = false, jweMembers: JWEMembers = .none,
    from header: KeyBlockHeader? = nil,
    isGenerated: Bool = false, by persons: Persons? = nil
  ) {
    self.label = label
    self.role = role
    self.certificate = certificate
    self.merchant = merchant
    self.activates = activates
    self.notAfter = notAfter
    self.freshnessWindow = freshnessWindow
    self.otp = otp
    self.notBefore = notBefore
    self.useLimit = useLimit
    self.isGenerated = isGenerated
    self.persons = persons
    self.isExportable = isExportable
    self.jweMembers = jweMembers
    self.header = header
    self.material = material
  }

  consuming func takeMaterial() -> KeyMaterial { material }
}

extension KeyStore {
  /// Imports a key: checked, wrapped, durable and ready for use when this returns.
  ///
  /// - Throws: `KeyStoreError.importRefused`; `.storage`, `.changedOnDisk`, `.crypto`.
  package func importKey(_ request: consuming KeyImport, at now: Timestamp, anchor: AuditAnchor)
    throws(KeyStoreError) -> KeyRecord
  {
    let new = try newKey(request, at: now, anchor: anchor)
    try add(new, anchor: anchor)
    return new.record
  }

  /// Checks and wraps a key, without changing the store; `add` puts it in.
  ///
  /// - Throws: `KeyStoreError.importRefused`, `.crypto`.
  package func newKey(_ request: consuming KeyImport, at now: Timestamp, anchor: AuditAnchor)
    throws(KeyStoreError) -> NewKey
  {
    do throws(ImportRefusal) { try request.check(now) } catch { throw .importRefused(error) }
    let merchant = try request.agreedMerchant()
    return try NewKey(consume request, merchant: merchant, at: now, auditSize: anchor.size, keys)
  }

  /// Adds a new key to the store: durable and ready for use when this returns.
  ///
  /// - Throws: `KeyStoreError.importRefused`; `.storage`, `.changedOnDisk`.
  package func add(_ new: NewKey, anchor: AuditAnchor) throws(KeyStoreError) {
    let record = new.record
    try change(
      anchor, by: record.persons[.created], isGenerated: new.isGenerated, forgetsAt: record.created
    ) {
      (manifest, slots) throws(KeyStoreError) in
      guard hasRoom else { throw .importRefused(.storeFull) }
      guard !manifest.has(record.id), !former.value.contains(record.id) else {
        throw .importRefused(.keyPresent)
      }
      guard !manifest.has(record.label) else { throw .importRefused(.labelTaken) }
      try new.write(to: directory)
      manifest.insert(record)
      slots[record.id] = new.slot
    }
  }
}

extension KeyImport {
  /// The checks that do not need the store.
  fileprivate borrowing func check(_ now: Timestamp) throws(ImportRefusal) {
    guard !role.isInternal else { throw .role }
    guard material.algorithm(in: role) != nil else { throw .algorithm }
    guard role.isMerchant || merchant == nil && freshnessWindow == nil else { throw .notMerchants }
    guard role.isCertified || certificate == nil else { throw .notMerchants }
    guard role.isPartners || jweMembers.isEmpty else { throw .jweMembers }
    guard otp.map({ $0.fits(role) }) ?? (role.otpKind == nil) else { throw .otp }
    guard freshnessWindow.map(KeyRecord.freshnessWindows.contains) ?? true else {
      throw .freshnessWindow
    }
    if let header {
      guard role.takes(header), role.hashAgrees(with: header, otp) else { throw .blockUse }
      guard !isExportable || header.exportability != .nonExportable else { throw .exportability }
    }
    guard useLimit.map(KeyRecord.useLimits.contains) ?? true else { throw .useLimit }
    guard hasPeriod(notBefore, notAfter ?? certificate?.notAfter),
      notAfter.map({ now < $0 }) ?? true
    else { throw .period }
    if role.isPublic { try checkPublicKey(now) }
    guard let certificate else { return }
    guard let key = material.publicKey(), key.spki == certificate.spki else {
      throw .certificateKey
    }
  }

  /// A partner's public key has an end in the future, which is at most its certificate's, and is
  /// for encryption. [KS-IMPORT-PUBLIC]
  private borrowing func checkPublicKey(_ now: Timestamp) throws(ImportRefusal) {
    guard !isExportable else { throw .exportability }
    guard material.publicKey()?.isPlausible == true else { throw .algorithm }
    guard let end = notAfter ?? certificate?.notAfter, now < end,
      certificate.map({ end <= $0.notAfter }) ?? true
    else { throw .period }
    if let certificate, !certificate.isForEncryption { throw .certificateUse }
  }

  /// The merchant, on whom certificate and request must agree; nil for a role without merchants.
  /// [KS-IMPORT-MERCHANT]
  fileprivate borrowing func agreedMerchant() throws(KeyStoreError) -> MerchantIdentifier? {
    guard role.isMerchant else { return nil }
    guard let certificate else {
      guard let merchant else { throw .importRefused(.merchantMissing) }
      return merchant
    }
    return try certificate.merchant(expecting: merchant)
  }
}

extension Certificate {
  /// The merchant whose certificate this is.
  ///
  /// - Parameter expected: nil for any.
  func merchant(expecting expected: MerchantIdentifier?) throws(KeyStoreError)
    -> MerchantIdentifier
  {
    let certified: MerchantIdentifier
    do throws(CryptoError) { certified = try MerchantIdentifier(self) } catch {
      throw .importRefused(.merchantExtension)
    }
    guard expected == nil || expected == certified else { throw .importRefused(.merchantMismatch) }
    return certified
  }

  /// Whether keys may be encrypted with its key, or agreed on: it is no CA's, and its key usage, if
  /// it states any, says so. [KS-IMPORT-PUBLIC]
  var isForEncryption: Bool {
    guard !isCA else { return false }
    guard let keyUsage else { return true }
    return keyUsage.contains(publicKey.kind == .p256 ? .keyAgreement : .keyEncipherment)
  }
}

/// A key that is wrapped but not written yet.
package struct NewKey {
  let slot: KeySlot
  let isGenerated: Bool
  private let block: [UInt8]
  /// Only for a key for codes: its ledger is made together with the key, so that a missing ledger
  /// is always an error. [KS-LEDGER]
  private let ledger: [UInt8]?

  /// The record that the store will have.
  package var record: KeyRecord { slot.record }

  package init(
    _ request: consuming KeyImport, merchant: MerchantIdentifier?, at now: Timestamp,
    auditSize: UInt64, _ keys: borrowing StoreKeys
  ) throws(KeyStoreError) {
    isGenerated = request.isGenerated
    do throws(CryptoError) {
      guard let algorithm = request.material.algorithm(in: request.role) else { throw .invalidKey }
      let check = try request.material.check(algorithm)
      let isActive = request.activates && (request.notBefore.map { $0 <= now } ?? true)
      var record = KeyRecord(
        id: try Self.id(check), label: request.label, role: request.role, algorithm: algorithm,
        check: check, merchant: merchant,
        certificate: request.certificate.map { CertificateReference(digest: SHA256.hash($0.der)) },
        created: now,
        notBefore: request.notBefore, notAfter: request.notAfter ?? request.certificate?.notAfter,
        useLimit: request.useLimit,
        freshnessWindow: request.freshnessWindow, otp: request.otp,
        isExportable: request.isExportable, jweMembers: request.jweMembers,
        block: SHA256.hash([]), state: isActive ? .active : .preActive,
        activated: isActive ? now : nil,
        persons: request.firstStepsOfLife(isActive: isActive), uses: .none(at: auditSize))
      let data = try request.material.serialised()
      block = try record.wrap(data, keys)
      record.block = SHA256.hash(block)
      ledger =
        record.role.keepsLedger
        ? try OTPLedgerContents.text(of: [:], after: 0, record.id, OTPChain(keys, record.id)) : nil
      let certificate = request.certificate
      slot = KeySlot(record, request.takeMaterial(), certificate: certificate)
    } catch { throw .crypto(error) }
  }

  /// Writes block, certificate and ledger, which count only once the manifest names them.
  package func write(to directory: StoreDirectory) throws(KeyStoreError) {
    try directory.write(.block(slot.record.id), block)
    if let certificate = slot.certificate {
      try directory.write(
        .certificate(slot.record.id, SHA256.hash(certificate.der)), certificate.der)
    }
    if let ledger { try directory.write(.ledger(slot.record.id), ledger) }
  }

  /// The first half of the SPKI's hash, or random bytes for a symmetric key. [KS-ID]
  private static func id(_ check: KeyCheck) throws(CryptoError) -> KeyID {
    let bytes: [UInt8] =
      if let hash = check.spkiHash { hash.bytes } else { try Random.bytes(KeyID.byteCount) }
    guard let id = KeyID(prefixOf: bytes.span) else { throw .backend }
    return id
  }
}

extension KeyRecord {
  /// The key's block under the given store keys.
  func wrap(_ data: borrowing SecretBuffer, _ keys: borrowing StoreKeys) throws(CryptoError)
    -> [UInt8]
  {
    let kbpk = try KeyCheckValue.aes(keys.kbpk.bytes)
    do throws(KeyBlockError) {
      return try KeyBlock.wrap(
        key: data.bytes, header: try header(kbpk: kbpk), kbpk: keys.kbpk.bytes)
    } catch { throw error.crypto(or: .backend) }
  }
}

extension KeyBlockError {
  /// OpenSSL's error, or `other` for any other failure.
  func crypto(or other: CryptoError) -> CryptoError {
    if case .crypto(let error) = self { error } else { other }
  }
}

extension KeyImport {
  /// Who made the key and, if it is active from the start, activated it.
  fileprivate borrowing func firstStepsOfLife(isActive: Bool) -> [KeyStep: Persons] {
    persons.map { isActive ? [.created: $0, .activated: $0] : [.created: $0] } ?? [:]
  }
}
