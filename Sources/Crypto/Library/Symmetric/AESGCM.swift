import COpenSSL
package import Host

/// AES-GCM (SP 800-38D) with a full 16-byte tag.
///
/// Apple Pay tokens use a 16-byte IV, from which GHASH computes the counter block; everything else
/// uses 12 bytes.
package enum AESGCM {
  package static let tagSize = 16

  /// Decrypts and verifies; after a wrong tag the plaintext is wiped.
  ///
  /// - Parameters:
  ///   - key: 16, 24 or 32 bytes.
  ///   - iv: 12 or 16 bytes.
  ///   - tag: 16 bytes.
  ///   - aad: the associated data, of which `furtherAAD` is the rest.
  /// - Throws: `authenticationFailed` for a wrong tag, `invalidInput` for other sizes.
  package static func open(
    key: Span<UInt8>, iv: Span<UInt8>, ciphertext: Span<UInt8>, tag: Span<UInt8>,
    aad: Span<UInt8> = Span(), furtherAAD: Span<UInt8> = Span()
  ) throws(CryptoError) -> SecretBuffer {
    guard tag.count == tagSize else { throw .invalidInput }
    let context = try start(
      key: key, iv: iv, aad, furtherAAD, input: ciphertext.count, encrypt: false)
    var plaintext = try SecretBuffer.make(ciphertext.count)
    var out = plaintext.mutableBytes
    var written: Int32 = 0
    try unsafe check(
      EVP_CipherUpdate(
        context.pointer, out.mutableStart, &written, ciphertext.start, Int32(ciphertext.count)))
    // OpenSSL only reads the tag here, although the prototype is not const.
    let expected = unsafe UnsafeMutableRawPointer(mutating: tag.start)
    try unsafe check(
      EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), expected))
    try unsafe check(
      EVP_CipherFinal_ex(context.pointer, nothing, &written), or: .authenticationFailed)
    return plaintext
  }

  /// Encrypts; the caller must never use the same IV twice with one key.
  ///
  /// - Returns: ciphertext ‖ 16-byte tag.
  package static func seal(
    key: Span<UInt8>, iv: Span<UInt8>, plaintext: Span<UInt8>, aad: Span<UInt8> = Span(),
    furtherAAD: Span<UInt8> = Span()
  ) throws(CryptoError) -> [UInt8] {
    let context = try start(
      key: key, iv: iv, aad, furtherAAD, input: plaintext.count, encrypt: true)
    var sealed = [UInt8](repeating: 0, count: plaintext.count + tagSize)
    var out = sealed.mutableSpan
    let start = unsafe out.mutableStart
    var written: Int32 = 0
    try unsafe check(
      EVP_CipherUpdate(context.pointer, start, &written, plaintext.start, Int32(plaintext.count)))
    try unsafe check(EVP_CipherFinal_ex(context.pointer, nothing, &written))
    try unsafe check(
      EVP_CIPHER_CTX_ctrl(
        context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tagSize), start + plaintext.count))
    return sealed
  }

  private static func start(
    key: Span<UInt8>, iv: Span<UInt8>, _ aad: Span<UInt8>, _ furtherAAD: Span<UInt8>, input: Int,
    encrypt: Bool
  ) throws(CryptoError) -> Owned {
    let cipher: Fetched =
      switch key.count {
      case 16: .aes128GCM
      case 24: .aes192GCM
      case 32: .aes256GCM
      default: throw .invalidInput
      }
    guard iv.count == 12 || iv.count == 16,
      [input, aad.count, furtherAAD.count].allSatisfy({ $0 <= maximumInput })
    else { throw .invalidInput }
    let context = try unsafe Owned(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free)
    let direction: Int32 = encrypt ? 1 : 0
    if iv.count == 12 {
      try unsafe check(
        EVP_CipherInit_ex2(context.pointer, cipher.pointer, key.start, iv.start, direction, nil))
    } else {
      // A length other than the usual one must be set before the IV.
      try unsafe check(
        EVP_CipherInit_ex2(context.pointer, cipher.pointer, nil, nil, direction, nil))
      try unsafe check(
        EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_IVLEN, Int32(iv.count), nil))
      try unsafe check(
        EVP_CipherInit_ex2(context.pointer, nil, key.start, iv.start, direction, nil))
    }
    try authenticate(aad, context)
    try authenticate(furtherAAD, context)
    return context
  }

  private static func authenticate(_ aad: Span<UInt8>, _ context: borrowing Owned)
    throws(CryptoError)
  {
    guard !aad.isEmpty else { return }
    var written: Int32 = 0
    try unsafe check(EVP_CipherUpdate(context.pointer, nil, &written, aad.start, Int32(aad.count)))
  }

  private static let maximumInput = 1 << 30
}
