internal import Crypto
package import Format
internal import Host

/// A key that is wrapped but not written yet.
package struct NewKey {
  let slot: KeySlot
  let isGenerated: Bool
  private let block: [UInt8]
  /// Only for a key for codes: its ledger is made together with the key, so that a missing ledger is always an error. [KS-LEDGER]
  private let ledger: [UInt8]?

  /// The record that the store will have.
  package var record: KeyRecord { slot.record }

  package init(
    _ request: consuming KeyImport, merchant: MerchantIdentifier?, at now: Timestamp, auditSize: UInt64, _ keys: borrowing StoreKeys
  ) throws(KeyStoreError) {
    isGenerated = request.isGenerated
    do throws(CryptoError) {
      guard let algorithm = request.material.algorithm(in: request.role) else { throw .invalidKey }
      let check = try request.material.check(algorithm)
      let isActive = request.activates && (request.notBefore.map { $0 <= now } ?? true)
      var record = KeyRecord(
        id: try Self.id(check), label: request.label, role: request.role, algorithm: algorithm, check: check, merchant: merchant,
        certificate: request.certificate.map { CertificateReference(digest: SHA256.hash($0.der)) }, created: now,
        notBefore: request.notBefore, notAfter: request.notAfter ?? request.certificate?.notAfter, useLimit: request.useLimit,
        freshnessWindow: request.freshnessWindow, otp: request.otp, isExportable: request.isExportable, jweMembers: request.jweMembers,
        block: SHA256.hash([]), state: isActive ? .active : .preActive, activated: isActive ? now : nil,
        persons: request.firstStepsOfLife(isActive: isActive), uses: .none(at: auditSize))
      let data = try request.material.serialised()
      block = try record.wrap(data, keys)
      record.block = SHA256.hash(block)
      ledger = record.role.keepsLedger ? try OTPLedgerContents.text(of: [:], after: 0, record.id, OTPChain(keys, record.id)) : nil
      let certificate = request.certificate
      slot = KeySlot(record, request.takeMaterial(), certificate: certificate)
    } catch {
      throw .crypto(error)
    }
  }

  /// Writes block, certificate and ledger, which count only once the manifest names them.
  package func write(to directory: StoreDirectory) throws(KeyStoreError) {
    try directory.write(.block(slot.record.id), block)
    if let certificate = slot.certificate { try directory.write(.certificate(slot.record.id, SHA256.hash(certificate.der)), certificate.der) }
    if let ledger { try directory.write(.ledger(slot.record.id), ledger) }
  }

  /// The first half of the SPKI's hash, or random bytes for a symmetric key. [KS-ID]
  private static func id(_ check: KeyCheck) throws(CryptoError) -> KeyID {
    let bytes: [UInt8] = if let hash = check.spkiHash { hash.bytes } else { try Random.bytes(KeyID.byteCount) }
    guard let id = KeyID(prefixOf: bytes.span) else { throw .backend }
    return id
  }
}

extension KeyRecord {
  /// The key's block under the given store keys.
  func wrap(_ data: borrowing SecretBuffer, _ keys: borrowing StoreKeys) throws(CryptoError) -> [UInt8] {
    let kbpk = try KeyCheckValue.aes(keys.kbpk.bytes)
    do throws(KeyBlockError) {
      return try KeyBlock.wrap(key: data.bytes, header: try header(kbpk: kbpk), kbpk: keys.kbpk.bytes)
    } catch { throw error.crypto(or: .backend) }
  }
}

extension KeyBlockError {
  /// OpenSSL's error, or `other` for any other failure.
  func crypto(or other: CryptoError) -> CryptoError { if case .crypto(let error) = self { error } else { other } }
}

extension KeyImport {
  /// Who made the key and, if it is active from the start, activated it.
  fileprivate borrowing func firstStepsOfLife(isActive: Bool) -> [KeyStep: Persons] {
    persons.map { isActive ? [.created: $0, .activated: $0] : [.created: $0] } ?? [:]
  }
}
