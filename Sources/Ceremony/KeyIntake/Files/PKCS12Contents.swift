internal import COpenSSL
internal import Crypto
internal import Host

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
    guard unsafe i2d_PKCS8_PRIV_KEY_INFO(info.pointer, &next) == size else { throw failure(.backend) }
    return try PrivateKey(pkcs8DER: der.bytes)
  }

  /// The key's certificate first, then the others in the order of the file.
  func certificates() throws(CryptoError) -> [Certificate] {
    var found: [Certificate] = []
    if let leaf = unsafe leaf { found.append(try unsafe certificate(leaf)) }
    let count = unsafe others == nil ? 0 : OPENSSL_sk_num(others)
    for index in 0..<max(count, 0) {
      guard found.count < PrivateKeyFile.maximumCertificates, let item = unsafe OPENSSL_sk_value(others, index) else { throw .invalidCertificate }
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
