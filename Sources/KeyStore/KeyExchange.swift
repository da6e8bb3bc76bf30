internal import CryptoBackend
package import Encoding
package import KeyBlock
internal import SecretMemory
internal import Wire

// Keys to and from another HSM, in X9.143 blocks under a key that both sides hold.

extension KeyStore {
  /// `KeySlot.block(under:)` for keys that people at a ceremony name, where no policy is asked.
  ///
  /// - Throws: `KeyStoreError.unknownKey`, `.wrongState`; `.invocationsUsedUp` of the exchange key; and what that throws.
  package func block(of label: KeyLabel, under exchange: KeyLabel, at now: Timestamp) throws(KeyStoreError) -> [UInt8] {
    let key = try slot(labelled: label, serving: .exportKey, at: now)
    return try key.block(under: try exchangeKey(labelled: exchange, at: now))
  }

  /// Likewise `KeySlot.open(block:allowing:)`.
  package func open(
    block: Span<UInt8>, under exchange: KeyLabel, allowing old: Set<KeyBlockVersion>, at now: Timestamp
  ) throws(KeyStoreError) -> KeyBlock.Opened {
    let key = try exchangeKey(labelled: exchange, at: now)
    guard key.record.role.serves(.importBlock) else { throw .wrongRole }
    return try key.open(block: block, allowing: old)
  }

  func slot(labelled label: KeyLabel) throws(KeyStoreError) -> KeySlot {
    guard let slot = table.value.slots.values.first(where: { $0.record.label == label }) else { throw .unknownKey }
    return slot
  }

  /// A key in a state, and in its period, that lets it serve `opcode`.
  func slot(labelled label: KeyLabel, serving opcode: Opcode, at now: Timestamp) throws(KeyStoreError) -> KeySlot {
    let slot = try slot(labelled: label)
    let state = slot.record.servingState(at: now)
    guard state.serves(opcode) else { throw .wrongState(state) }
    return slot
  }

  /// Active and in its period of use; the use is counted.
  private func exchangeKey(labelled label: KeyLabel, at now: Timestamp) throws(KeyStoreError) -> KeySlot {
    let slot = try slot(labelled: label)
    let state = slot.record.servingState(at: now)
    guard state == .active else { throw .wrongState(state) }
    try countUse(of: slot)
    return slot
  }
}

extension KeySlot {
  /// The key as a version D block for whoever holds `kek`, who may not pass it on. [KS-EXCHANGE-BLOCK]
  ///
  /// - Returns: the block's characters.
  /// - Throws: `KeyStoreError.exportRefused` where the key may not leave, or is to under itself; `.crypto`.
  package func block(under kek: KeySlot) throws(KeyStoreError) -> [UInt8] {
    guard record.isExportable, kek.record.role == .keyExchange, kek.record.id != record.id, case .kcv(let check) = kek.record.check
    else { throw .exportRefused }
    do throws(CryptoError) {
      let key = try serialised()
      let block: [UInt8]? = try kek.withSymmetricKey { (kbpk) throws(CryptoError) in
        do throws(KeyBlockError) {
          return try KeyBlock.wrap(key: key.bytes, header: record.header(.nonExportable, check, checkBlock), kbpk: kbpk)
        } catch { throw error.crypto(or: .backend) }
      }
      guard let block else { throw .backend }
      return block
    } catch { throw .crypto(error) }
  }

  /// Opens what another HSM sent under this exchange key; whether it is what it is to be here, `KeyStore.importKey` says.
  ///
  /// - Parameter old: which of versions A, B and C may come, under a TDEA key.
  /// - Throws: `KeyStoreError.importRefused(.block)`, `.crypto`.
  package func open(block: Span<UInt8>, allowing old: Set<KeyBlockVersion>) throws(KeyStoreError) -> KeyBlock.Opened {
    // The bytes of a TDEA key would do as an AES key's: what protects what is for the role to say. [KS-EXCHANGE-KEY]
    let versions: Set<KeyBlockVersion> = record.role == .keyExchange ? [.d] : old.subtracting([.d])
    do throws(KeyBlockError) {
      let opened = try withSymmetricKey { (kbpk) throws(KeyBlockError) in try KeyBlock.unwrap(block, kbpk: kbpk, allowing: versions) }
      if let opened { return opened }
    } catch {
      if case .crypto(let error) = error { throw .crypto(error) }
    }
    throw .importRefused(.block)
  }

  /// `KC` of an AES key.
  private var checkBlock: [OptionalBlock] {
    guard record.algorithm == .aes256, case .kcv(let value) = record.check else { return [] }
    return [.check(of: value)]
  }
}

extension KeyRole {
  /// Whether a key with this header may be one of the role: as much as the role does, or more, and no component of a key.
  /// [KS-IMPORT-USE]
  package func takes(_ header: KeyBlockHeader) -> Bool {
    let use = blockUse
    guard header.usage == use.usage, header.algorithm == use.algorithm, header.mode.covers(use.mode), !header.keyVersion.isComponent
    else { return false }
    // X9.143 has AES keys protected by AES alone.
    return header.version == .d || header.algorithm != .aes
  }

  /// Whether the hash in a header, where it names one, is that of the role's HMAC keys. [KS-IMPORT-USE]
  func hashAgrees(with header: KeyBlockHeader, _ otp: OTPAttributes?) -> Bool {
    guard let hash = header.optionalBlock(.hashAlgorithm), let algorithm = symmetricAlgorithm else { return true }
    return hash == OptionalBlock.hash(of: algorithm, otp)
  }
}
