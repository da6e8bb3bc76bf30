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
    let context = try decoding { () throws(CryptoError) in try LibraryContext.make(withLegacy: old == .accepted) }
    // What is read in the context must be gone before it.
    defer { extendLifetime(context) }
    return try read(file, passphrase, context)
  }

  private static func read(
    _ file: Span<UInt8>, _ passphrase: Span<UInt8>?, _ context: borrowing LibraryContext
  ) throws(KeyFileError) -> ImportedKey {
    let p12 = try decoding { () throws(CryptoError) in try decode(file, context) }
    let text = try decoding { () throws(CryptoError) in try terminated(passphrase) }
    let contents = unsafe PKCS12Contents(p12.pointer, text.bytes)
    guard contents.isOpen else { throw refusal(hadPassphrase: text.count > 1) }
    do throws(CryptoError) {
      return ImportedKey(key: try contents.key(), certificates: try contents.certificates())
    } catch { throw KeyFileError(error) }
  }

  /// Only the BIO form of the decoder keeps to the context of the object it fills.
  private static func decode(_ file: Span<UInt8>, _ context: borrowing LibraryContext) throws(CryptoError) -> Owned {
    let source = try unsafe Owned(BIO_new_mem_buf(file.start, Int32(file.count)), BIO_free_all)
    var object = unsafe PKCS12_init_ex(NID_pkcs7_data, context.pointer, nil)
    let isRead = unsafe d2i_PKCS12_bio(source.pointer, &object) != nil
    let p12 = try unsafe Owned(object, PKCS12_free, or: .invalidInput)
    guard isRead else { throw failure(.invalidInput) }
    // Bytes after the end belong to no format.
    guard unsafe BIO_ctrl_pending(source.pointer) == 0 else { throw .invalidInput }
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
