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

/// The format of data that Kist seals under an AES-256 key and opens again itself.
///
/// `u8 version ‖ 16 B key id ‖ 12 B nonce ‖ ciphertext ‖ 16 B tag`. The associated data is the
/// first 29 bytes followed by the caller's own. A rotated key is a new key with a new id, so the id
/// also tells the key's version [OP-SEAL-2].
package struct Envelope: ~Escapable {
  package static let version: UInt8 = 1
  package static let keyIDSize = 16
  static let nonceSize = 12
  static let headerSize = 1 + keyIDSize + nonceSize
  /// How much longer an envelope is than its contents.
  package static let overhead = headerSize + AESGCM.tagSize

  private let bytes: Span<UInt8>

  /// Parses an envelope; nothing in it is authenticated before `open`.
  ///
  /// - Throws: `invalidInput` if it is too short or of another version.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) throws(CryptoError) {
    guard bytes.count >= Self.overhead, bytes[0] == Self.version else { throw .invalidInput }
    self.bytes = bytes
  }

  /// The id of the key that sealed it, 16 bytes.
  package var keyID: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(1..<1 + Self.keyIDSize) }
  }

  /// Seals with a random nonce; the caller must limit each key to 2³² envelopes.
  ///
  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - id: 16 bytes, zero for a key that has no id.
  package static func seal(
    _ plaintext: Span<UInt8>, key: Span<UInt8>, id: Span<UInt8>, associatedData: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    guard key.count == 32, id.count == keyIDSize else { throw .invalidInput }
    let nonce = try Random.bytes(nonceSize)
    let header = [version] + id.array + nonce
    let sealed = try AESGCM.seal(
      key: key, iv: nonce.span, plaintext: plaintext, aad: header.span, furtherAAD: associatedData)
    return header + sealed
  }

  /// Opens the envelope with `key`, 32 bytes.
  ///
  /// - Throws: `authenticationFailed` if key, header, associated data or contents differ from those
  ///   at sealing.
  package func open(key: Span<UInt8>, associatedData: Span<UInt8>) throws(CryptoError)
    -> SecretBuffer
  {
    guard key.count == 32 else { throw .invalidInput }
    let header = bytes.extracting(first: Self.headerSize)
    let tagged = bytes.extracting(droppingFirst: Self.headerSize)
    return try AESGCM.open(
      key: key, iv: header.extracting(last: Self.nonceSize),
      ciphertext: tagged.extracting(droppingLast: AESGCM.tagSize),
      tag: tagged.extracting(last: AESGCM.tagSize), aad: header, furtherAAD: associatedData)
  }
}
