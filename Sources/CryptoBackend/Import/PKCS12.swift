internal import COpenSSL
internal import SecretMemory

/// PKCS #12 (RFC 7292): OpenSSL opens it, and our own readers take what comes out.
///
/// The rounds of its key derivations are the file's choice, so a hostile file can keep the command busy; the daemon never reads one.
enum PKCS12 {
  /// - Parameter passphrase: where there is none or an empty one, both ways to write that are tried.
  static func open(
    _ file: Span<UInt8>, _ passphrase: Span<UInt8>?, _ old: PrivateKeyFile.OldAlgorithms
  ) throws(KeyFileError) -> ImportedKey {
    let p12 = try decoding { () throws(CryptoError) in try decode(file) }
    let text = try decoding { () throws(CryptoError) in try terminated(passphrase) }
    switch old {
    case .refused: return try read(p12, text)
    case .accepted:
      let legacy = try decoding { () throws(CryptoError) in try LegacyProvider.load() }
      defer { extendLifetime(legacy) }
      return try read(p12, text)
    }
  }

  private static func read(_ p12: borrowing Owned, _ passphrase: borrowing SecretBuffer) throws(KeyFileError) -> ImportedKey {
    let contents = unsafe PKCS12Contents(p12.pointer, passphrase.bytes)
    guard contents.isOpen else { throw refusal(hadPassphrase: passphrase.count > 1) }
    do throws(CryptoError) {
      return ImportedKey(key: try contents.key(), certificates: try contents.certificates())
    } catch { throw KeyFileError(error) }
  }

  private static func decode(_ file: Span<UInt8>) throws(CryptoError) -> Owned {
    var next: UnsafePointer<UInt8>? = unsafe file.start
    let p12 = try unsafe Owned(d2i_PKCS12(nil, &next, file.count), PKCS12_free, or: .invalidInput)
    guard unsafe next == file.start + file.count else { throw .invalidInput }
    return p12
  }

  /// OpenSSL wants a zero byte at the end, so a passphrase cannot hold one.
  private static func terminated(_ passphrase: Span<UInt8>?) throws(CryptoError) -> SecretBuffer {
    var text = try SecretBuffer.make((passphrase?.count ?? 0) + 1)
    guard let passphrase else { return text }
    for i in passphrase.indices where passphrase[i] == 0 { throw .authenticationFailed }
    var out = text.mutableBytes
    out.copy(passphrase)
    return text
  }

  private static func refusal(hadPassphrase: Bool) -> KeyFileError {
    let errors = OpenSSLErrors.drain()
    if errors.isExhausted { return .exhausted }
    if errors.isWrongMAC { return hadPassphrase ? .wrongPassphrase : .passphraseNeeded }
    return errors.isUnsupported ? .legacyEncryption : .malformed
  }
}
