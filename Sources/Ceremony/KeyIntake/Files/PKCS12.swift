internal import COpenSSL
internal import Crypto
internal import Host

/// PKCS #12 (RFC 7292): OpenSSL opens it, and our own parsers read the contents.
///
/// The file chooses the iterations of its key derivations, so a hostile file can keep the command busy; the daemon never reads one.
enum PKCS12 {
  /// - Parameter passphrase: if nil or empty, both encodings of "no passphrase" are tried.
  static func open(
    _ file: Span<UInt8>, _ passphrase: Span<UInt8>?, _ old: PrivateKeyFile.OldAlgorithms
  ) throws(KeyFileError) -> ImportedKey {
    let context = try decoding { () throws(CryptoError) in try LibraryContext.make(withLegacy: old == .accepted) }
    // Objects that belong to the context must be freed before it.
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

  /// Uses the BIO decoder, the only one that keeps to the library context of the object that it fills.
  private static func decode(_ file: Span<UInt8>, _ context: borrowing LibraryContext) throws(CryptoError) -> Owned {
    let source = try unsafe Owned(BIO_new_mem_buf(file.start, Int32(file.count)), BIO_free_all)
    var object = unsafe PKCS12_init_ex(NID_pkcs7_data, context.pointer, nil)
    let isRead = unsafe d2i_PKCS12_bio(source.pointer, &object) != nil
    let p12 = try unsafe Owned(object, PKCS12_free, or: .invalidInput)
    guard isRead else { throw failure(.invalidInput) }
    // No bytes may follow the end.
    guard unsafe BIO_ctrl_pending(source.pointer) == 0 else { throw .invalidInput }
    return p12
  }

  /// Appends the zero byte that OpenSSL expects; a passphrase therefore cannot contain one.
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
