import COpenSSL
import Crypto
import Host

/// PKCS #12 (RFC 7292): OpenSSL opens it, and our own parsers read the contents.
///
/// The file chooses the iterations of its key derivations, so a hostile file can keep the command
/// busy; the daemon never reads one.
enum PKCS12 {
  /// - Parameter passphrase: if nil or empty, both encodings of "no passphrase" are tried.
  static func open(
    _ file: Span<UInt8>, _ passphrase: Span<UInt8>?, _ old: PrivateKeyFile.OldAlgorithms
  ) throws(KeyFileError) -> ImportedKey {
    let context = try decoding(LibraryContext.make(withLegacy: old == .accepted))
    // Objects that belong to the context must be freed before it.
    defer { extendLifetime(context) }
    return try read(file, passphrase, context)
  }

  private static func read(
    _ file: Span<UInt8>, _ passphrase: Span<UInt8>?, _ context: borrowing LibraryContext
  ) throws(KeyFileError) -> ImportedKey {
    let p12 = try decoding(decode(file, context))
    let text = try decoding(terminated(passphrase))
    let contents = unsafe PKCS12Contents(p12.pointer, text.bytes)
    guard contents.isOpen else { throw refusal(hadPassphrase: text.count > 1) }
    return ImportedKey(
      key: try reading(contents.key()), certificates: try reading(contents.certificates()))
  }

  /// Uses the BIO decoder, the only one that keeps to the library context of the object that it
  /// fills.
  private static func decode(_ file: Span<UInt8>, _ context: borrowing LibraryContext)
    throws(CryptoError) -> Owned
  {
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

/// The contents of a PKCS #12 file as OpenSSL returns them.
@safe struct PKCS12Contents: ~Copyable {
  let isOpen: Bool
  private var privateKey, leaf, others: OpaquePointer?

  /// - Parameter passphrase: terminated by a zero byte.
  @unsafe init(_ p12: OpaquePointer, _ passphrase: Span<UInt8>) {
    unsafe privateKey = nil
    unsafe leaf = nil
    unsafe others = nil
    let text = unsafe UnsafeRawPointer(passphrase.start).assumingMemoryBound(to: CChar.self)
    isOpen = unsafe PKCS12_parse(p12, text, &privateKey, &leaf, &others) == 1
  }

  /// The private key, re-encoded as PKCS #8 and read by our own parser.
  func key() throws(CryptoError) -> PrivateKey? {
    guard let found = unsafe privateKey else { return nil }
    let info = try unsafe Owned(EVP_PKEY2PKCS8(found), PKCS8_PRIV_KEY_INFO_free, or: .invalidKey)
    let size = unsafe i2d_PKCS8_PRIV_KEY_INFO(info.pointer, nil)
    guard size > 0 else { throw failure(.invalidKey) }
    var der = try SecretBuffer.make(Int(size))
    var out = der.mutableBytes
    var next: UnsafeMutablePointer<UInt8>? = unsafe out.mutableStart
    guard unsafe i2d_PKCS8_PRIV_KEY_INFO(info.pointer, &next) == size else {
      throw failure(.backend)
    }
    return try PrivateKey(pkcs8DER: der.bytes)
  }

  /// The key's certificate first, then the others in the order of the file.
  func certificates() throws(CryptoError) -> [Certificate] {
    var found: [Certificate] = []
    if let leaf = unsafe leaf { found.append(try unsafe certificate(leaf)) }
    let count = unsafe others == nil ? 0 : OPENSSL_sk_num(others)
    for index in 0..<max(count, 0) {
      guard found.count < PrivateKeyFile.maximumCertificates,
        let item = unsafe OPENSSL_sk_value(others, index)
      else { throw .invalidCertificate }
      found.append(try unsafe certificate(OpaquePointer(item)))
    }
    return found
  }

  @unsafe private func certificate(_ x509: OpaquePointer) throws(CryptoError) -> Certificate {
    let der = try unsafe encode { out in unsafe i2d_X509(x509, out) }
    return try Certificate(der: der)
  }

  deinit {
    unsafe EVP_PKEY_free(privateKey)
    unsafe X509_free(leaf)
    unsafe OPENSSL_sk_pop_free(others) { item in unsafe X509_free(OpaquePointer(item)) }
  }
}

/// A separate OpenSSL library context, with providers that the rest of the process does not see.
@safe struct LibraryContext: ~Copyable {
  let pointer: OpaquePointer
  private var providers: [OpaquePointer]

  /// - Parameter withLegacy: also loads OpenSSL's provider of old algorithms such as RC2.
  static func make(withLegacy: Bool) throws(CryptoError) -> LibraryContext {
    guard let pointer = unsafe OSSL_LIB_CTX_new() else { throw failure(.backend) }
    var context = unsafe LibraryContext(pointer: pointer, providers: [])
    try context.load("default")
    if withLegacy { try context.load("legacy") }
    return context
  }

  private mutating func load(_ name: String) throws(CryptoError) {
    guard let provider = unsafe OSSL_PROVIDER_load(pointer, name) else { throw failure(.backend) }
    unsafe providers.append(provider)
  }

  // Providers must be unloaded before their context is freed.
  deinit {
    unsafe providers.forEach { provider in _ = unsafe OSSL_PROVIDER_unload(provider) }
    unsafe OSSL_LIB_CTX_free(pointer)
  }
}
