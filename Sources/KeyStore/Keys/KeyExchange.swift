package import Crypto
package import Format
import Host

// Exchanging keys with another HSM: X9.143 blocks under a key that both sides hold.

extension KeyStore {
  /// As `KeySlot.block(under:)`, for keys named by people at a ceremony, without asking policy.
  ///
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongState`; `.invocationsUsedUp` for the exchange
  ///   key; and what `KeySlot.block(under:)` throws.
  package func block(of label: KeyLabel, under exchange: KeyLabel, at now: Timestamp)
    throws(KeyStoreError) -> [UInt8]
  {
    let key = try slot(labelled: label, serving: .exportKey, at: now)
    return try key.block(under: try exchangeKey(labelled: exchange, at: now))
  }

  /// As `KeySlot.open(block:allowing:)`, likewise.
  package func open(
    block: Span<UInt8>, under exchange: KeyLabel, allowing old: Set<KeyBlockVersion>,
    at now: Timestamp
  ) throws(KeyStoreError) -> KeyBlock.Opened {
    let key = try exchangeKey(labelled: exchange, at: now)
    guard key.record.role.serves(.importBlock) else { throw .wrongRole }
    return try key.open(block: block, allowing: old)
  }

  func slot(labelled label: KeyLabel) throws(KeyStoreError) -> KeySlot {
    guard let slot = table.value.slots.values.first(where: { $0.record.label == label }) else {
      throw .unknownKey
    }
    return slot
  }

  /// The key with this label, if its state and period let it serve `opcode`.
  func slot(labelled label: KeyLabel, serving opcode: Opcode, at now: Timestamp)
    throws(KeyStoreError) -> KeySlot
  {
    let slot = try slot(labelled: label)
    let state = slot.record.servingState(at: now)
    guard state.serves(opcode) else { throw .wrongState(state) }
    return slot
  }

  /// The exchange key, if it is active and in its period; counts its use.
  private func exchangeKey(labelled label: KeyLabel, at now: Timestamp) throws(KeyStoreError)
    -> KeySlot
  {
    let slot = try slot(labelled: label)
    let state = slot.record.servingState(at: now)
    guard state == .active else { throw .wrongState(state) }
    try countUse(of: slot)
    return slot
  }
}

extension KeySlot {
  /// Exports the key as a version D block for a holder of `kek`, who may not export it further.
  /// [KS-EXCHANGE-BLOCK]
  ///
  /// - Returns: the block's characters.
  /// - Throws: `KeyStoreError.exportRefused` if the key is not exportable or `kek` is the same key;
  ///   `.crypto`.
  package func block(under kek: KeySlot) throws(KeyStoreError) -> [UInt8] {
    guard record.isExportable, kek.record.role == .keyExchange, kek.record.id != record.id,
      case .kcv(let check) = kek.record.check
    else { throw .exportRefused }
    do throws(CryptoError) {
      let key = try serialised()
      let block: [UInt8]? = try kek.withSymmetricKey { (kbpk) throws(CryptoError) in
        do throws(KeyBlockError) {
          return try KeyBlock.wrap(
            key: key.bytes, header: record.header(.nonExportable, check, checkBlock), kbpk: kbpk)
        } catch { throw error.crypto(or: .backend) }
      }
      guard let block else { throw .backend }
      return block
    } catch { throw .crypto(error) }
  }

  /// Opens a block that another HSM sent under this exchange key; `KeyStore.importKey` decides
  /// whether its key fits a role here.
  ///
  /// - Parameter old: which of versions A, B and C are allowed, under a TDEA key.
  /// - Throws: `KeyStoreError.importRefused(.block)`, `.crypto`.
  package func open(block: Span<UInt8>, allowing old: Set<KeyBlockVersion>) throws(KeyStoreError)
    -> KeyBlock.Opened
  {
    // An AES key could have the bytes of a TDEA key, so the role decides which versions it opens.
    // [KS-EXCHANGE-KEY]
    let versions: Set<KeyBlockVersion> = record.role == .keyExchange ? [.d] : old.subtracting([.d])
    do throws(KeyBlockError) {
      let opened = try withSymmetricKey { (kbpk) throws(KeyBlockError) in
        try KeyBlock.unwrap(block, kbpk: kbpk, allowing: versions)
      }
      if let opened { return opened }
    } catch {
      if case .crypto(let error) = error { throw .crypto(error) }
    }
    throw .importRefused(.block)
  }

  /// The `KC` block of an AES key.
  private var checkBlock: [OptionalBlock] {
    guard record.algorithm == .aes256, case .kcv(let value) = record.check else { return [] }
    return [.check(of: value)]
  }
}

extension KeyRole {
  /// Whether a key with this header may take this role: its mode allows at least what the role
  /// needs, and it is no key component. [KS-IMPORT-USE]
  package func takes(_ header: KeyBlockHeader) -> Bool {
    let use = blockUse
    guard header.usage == use.usage, header.algorithm == use.algorithm,
      header.mode.covers(use.mode), !header.keyVersion.isComponent
    else { return false }
    // X9.143 allows AES keys only in blocks protected with AES.
    return header.version == .d || header.algorithm != .aes
  }

  /// Whether the header's hash, if it names one, is that of the role's HMAC keys. [KS-IMPORT-USE]
  func hashAgrees(with header: KeyBlockHeader, _ otp: OTPAttributes?) -> Bool {
    guard let hash = header.optionalBlock(.hashAlgorithm), let algorithm = symmetricAlgorithm else {
      return true
    }
    return hash == OptionalBlock.hash(of: algorithm, otp)
  }
}
