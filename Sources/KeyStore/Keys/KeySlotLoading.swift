internal import Crypto
internal import Host

extension KeySlot {
  /// Unwraps a key from its block, and refuses it if block and manifest record disagree.
  ///
  /// - Throws: `KeyStoreError.key` with the key and the fault.
  static func load(_ record: KeyRecord, from directory: StoreDirectory, _ keys: borrowing StoreKeys) throws(KeyStoreError) -> KeySlot {
    guard let text = try directory.read(.block(record.id)) else { throw .key(record.id, .blockMissing) }
    guard SHA256.hash(text) == record.block else { throw .key(record.id, .blockDigest) }
    let opened: KeyBlock.Opened
    do throws(KeyBlockError) {
      opened = try KeyBlock.unwrap(text.span, kbpk: keys.kbpk.bytes)
    } catch {
      if case .crypto(let error) = error { throw .crypto(error) }
      throw .key(record.id, .block)
    }
    guard record.matches(opened.header) else { throw .key(record.id, .header) }
    let material = try material(record, opened.takeKey())
    return KeySlot(record, material, certificate: try certificate(record, from: directory))
  }

  private static func material(_ record: KeyRecord, _ data: consuming SecretBuffer) throws(KeyStoreError) -> KeyMaterial {
    do throws(CryptoError) {
      let material = try KeyMaterial(data, record.algorithm, of: record.role)
      if material.algorithm(in: record.role) == record.algorithm, try material.check(record.algorithm) == record.check { return material }
    } catch {
      guard error == .invalidKey || error == .invalidInput else { throw .crypto(error) }
    }
    throw .key(record.id, .material)
  }

  private static func certificate(_ record: KeyRecord, from directory: StoreDirectory) throws(KeyStoreError) -> Certificate? {
    guard let reference = record.certificate else { return nil }
    guard let der = try directory.read(.certificate(record.id, reference.digest)), SHA256.hash(der) == reference.digest
    else { throw .key(record.id, .certificate) }
    do throws(CryptoError) {
      let certificate = try Certificate(der: der.span)
      if .spki(certificate.spki) == record.check { return certificate }
    } catch {
      guard error == .invalidCertificate else { throw .crypto(error) }
    }
    throw .key(record.id, .certificate)
  }
}

extension KeyRecord {
  /// The header for this key's block. [KS-HEADER]
  func header(kbpk: KeyCheckValue) throws(KeyBlockError) -> KeyBlockHeader {
    let blocks = (OptionalBlock.label(label.text).map { [$0] } ?? []) + [.created(created)]
    return try header(exportability, kbpk, blocks)
  }

  /// A header for this key: `HM` for an HMAC key, `KP`, and the given blocks.
  func header(_ exportability: Exportability, _ kbpk: KeyCheckValue, _ blocks: [OptionalBlock]) throws(KeyBlockError) -> KeyBlockHeader {
    let use = role.blockUse
    let hash = OptionalBlock.hash(of: algorithm, otp).map { [$0] } ?? []
    return try KeyBlockHeader(
      usage: use.usage, algorithm: use.algorithm, mode: use.mode, exportability: exportability,
      optionalBlocks: hash + [.check(ofProtectionKey: kbpk)] + blocks)
  }

  /// Whether use, exportability, label and hash match; the block's MAC binds them to the key. [KS-KEY-HEADER]
  func matches(_ header: KeyBlockHeader) -> Bool {
    BlockUse(header) == role.blockUse && header.exportability == exportability && header.keyVersion == .unused
      && header.optionalBlock(.label) == OptionalBlock.label(label.text) && header.optionalBlock(.hashAlgorithm) == OptionalBlock.hash(of: algorithm, otp)
  }

  private var exportability: Exportability { isExportable ? .exportable : .nonExportable }
}

extension OptionalBlock {
  /// The `HM` block of an HMAC key; nil for others.
  static func hash(of algorithm: KeyAlgorithm, _ otp: OTPAttributes?) -> OptionalBlock? {
    switch algorithm {
    case .hmac(let hash): hmac(hash)
    case .hmacOTP: otp?.hash.map(hmac)
    case .asymmetric, .aes256, .tripleDES2: nil
    }
  }
}
