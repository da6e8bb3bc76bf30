import CConstantTime
import COpenSSL
package import Host

/// AES-CBC (SP 800-38A) on whole blocks, without padding.
package enum AESCBC {
  /// - Parameters:
  ///   - key: 16, 24 or 32 bytes.
  ///   - iv: 16 bytes.
  ///   - plaintext: a multiple of 16 bytes.
  /// - Throws: `invalidInput` for other sizes.
  package static func encrypt(key: Span<UInt8>, iv: Span<UInt8>, plaintext: Span<UInt8>)
    throws(CryptoError) -> [UInt8]
  {
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
    var out = ciphertext.mutableSpan
    try encrypt(key: key, iv: iv, plaintext: plaintext, into: &out)
    return ciphertext
  }

  /// Likewise, into the caller's memory, because the output may be secret too.
  static func encrypt(
    key: Span<UInt8>, iv: Span<UInt8>, plaintext: Span<UInt8>, into out: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    try BlockCipher.run(
      try cipher(key, iv, plaintext), key: key, iv: iv, input: plaintext, encrypt: true, into: &out)
  }

  /// The inverse of `encrypt`, with the same sizes.
  package static func decrypt(key: Span<UInt8>, iv: Span<UInt8>, ciphertext: Span<UInt8>)
    throws(CryptoError) -> SecretBuffer
  {
    try BlockCipher.decrypted(try cipher(key, iv, ciphertext), key: key, iv: iv, ciphertext)
  }

  private static func cipher(_ key: Span<UInt8>, _ iv: Span<UInt8>, _ input: Span<UInt8>)
    throws(CryptoError) -> Fetched
  {
    guard iv.count == 16, input.count.isMultiple(of: 16) else { throw .invalidInput }
    switch key.count {
    case 16: return .aes128CBC
    case 24: return .aes192CBC
    case 32: return .aes256CBC
    default: throw .invalidInput
    }
  }
}

/// Triple DES in CBC mode (SP 800-67), for check values, TR-31 A to C import, old key files, and
/// Visa's one-time values, which require it.
package enum TDES {
  /// - Parameters:
  ///   - key: 16 bytes (two keys) or 24.
  ///   - iv: 8 bytes.
  ///   - plaintext: a multiple of 8 bytes.
  /// - Throws: `invalidInput` for other sizes.
  package static func encrypt(key: Span<UInt8>, iv: Span<UInt8>, plaintext: Span<UInt8>)
    throws(CryptoError) -> [UInt8]
  {
    let cipher = try cipher(key, iv, plaintext)
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
    var out = ciphertext.mutableSpan
    try BlockCipher.run(cipher, key: key, iv: iv, input: plaintext, encrypt: true, into: &out)
    return ciphertext
  }

  /// The inverse of `encrypt`, with the same sizes.
  package static func decrypt(key: Span<UInt8>, iv: Span<UInt8>, ciphertext: Span<UInt8>)
    throws(CryptoError) -> SecretBuffer
  {
    try BlockCipher.decrypted(try cipher(key, iv, ciphertext), key: key, iv: iv, ciphertext)
  }

  /// The key check value: the first three bytes of an encrypted zero block.
  package static func checkValue(of key: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    let zeros: InlineArray<8, UInt8> = InlineArray(repeating: 0)
    // A check value may be known.
    return try encrypt(key: key, iv: zeros.span, plaintext: zeros.span).prefix(3).map {
      UInt8(kist_declassified_number(UInt64($0)))
    }
  }

  private static func cipher(_ key: Span<UInt8>, _ iv: Span<UInt8>, _ input: Span<UInt8>)
    throws(CryptoError) -> Fetched
  {
    guard iv.count == 8, input.count.isMultiple(of: 8) else { throw .invalidInput }
    switch key.count {
    case 16: return .tripleDES2CBC
    case 24: return .tripleDES3CBC
    default: throw .invalidInput
    }
  }
}

/// One pass of a block cipher in CBC mode without padding.
enum BlockCipher {
  /// What `ciphertext` is without the cipher, of the same length.
  static func decrypted(
    _ cipher: Fetched, key: Span<UInt8>, iv: Span<UInt8>, _ ciphertext: Span<UInt8>
  ) throws(CryptoError) -> SecretBuffer {
    var plaintext = try SecretBuffer.make(ciphertext.count)
    var out = plaintext.mutableBytes
    try run(cipher, key: key, iv: iv, input: ciphertext, encrypt: false, into: &out)
    return plaintext
  }

  /// - Parameter out: as long as `input`, which must be whole blocks.
  static func run(
    _ cipher: Fetched, key: Span<UInt8>, iv: Span<UInt8>, input: Span<UInt8>, encrypt: Bool,
    into out: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    precondition(out.count == input.count && input.count.isMultiple(of: iv.count))
    guard input.count <= 1 << 30 else { throw .invalidInput }
    let context = try unsafe Owned(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free)
    var written: Int32 = 0
    try unsafe check(
      EVP_CipherInit_ex2(context.pointer, cipher.pointer, key.start, iv.start, encrypt ? 1 : 0, nil)
    )
    try unsafe check(EVP_CIPHER_CTX_set_padding(context.pointer, 0))
    try unsafe check(
      EVP_CipherUpdate(context.pointer, out.mutableStart, &written, input.start, Int32(input.count))
    )
    guard Int(written) == input.count else { throw .backend }
    try unsafe check(EVP_CipherFinal_ex(context.pointer, nothing, &written))
  }
}

/// AES-CMAC (SP 800-38B, RFC 4493).
package enum AESCMAC {
  /// The 16-byte tag, when it is not secret.
  ///
  /// - Parameter key: 16, 24 or 32 bytes.
  /// - Throws: `invalidInput` for another key size.
  package static func authenticate(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError)
    -> [UInt8]
  {
    try mac(for: key).tag(key: key, message, count: 16)
  }

  /// The 16-byte tag in secret memory, when it is part of a derived key.
  package static func derive(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError)
    -> SecretBuffer
  {
    try mac(for: key).secretTag(key: key, message, count: 16)
  }

  /// The key check value: the first five bytes of CMAC over 16 zero bytes, as X9.143 uses it;
  /// others show three of them.
  package static func checkValue(of key: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    let zeros: InlineArray<16, UInt8> = InlineArray(repeating: 0)
    // A check value may be known.
    return try authenticate(key: key, message: zeros.span).prefix(5).map {
      UInt8(kist_declassified_number(UInt64($0)))
    }
  }

  static let aes128 = try? MAC("CMAC", "cipher", "AES-128-CBC", keySize: 16)
  static let aes192 = try? MAC("CMAC", "cipher", "AES-192-CBC", keySize: 24)
  static let aes256 = try? MAC("CMAC", "cipher", "AES-256-CBC", keySize: 32)

  private static func mac(for key: Span<UInt8>) throws(CryptoError) -> MAC {
    let sized: MAC? =
      switch key.count {
      case 16: aes128
      case 24: aes192
      case 32: aes256
      default: throw .invalidInput
      }
    guard let sized else { throw .backend }
    return sized
  }
}

/// CMAC with triple DES (SP 800-38B), only for importing TR-31 version B.
package enum TDESCMAC {
  /// The 8-byte tag, when it is not secret.
  ///
  /// - Parameter key: 16 bytes (two keys) or 24.
  /// - Throws: `invalidInput` for another key size.
  package static func authenticate(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError)
    -> [UInt8]
  {
    try mac(for: key).tag(key: key, message, count: 8)
  }

  /// The 8-byte tag in secret memory, when it is part of a derived key.
  package static func derive(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError)
    -> SecretBuffer
  {
    try mac(for: key).secretTag(key: key, message, count: 8)
  }

  private static let twoKeys = try? MAC("CMAC", "cipher", "DES-EDE-CBC", keySize: 16)
  private static let threeKeys = try? MAC("CMAC", "cipher", "DES-EDE3-CBC", keySize: 24)

  private static func mac(for key: Span<UInt8>) throws(CryptoError) -> MAC {
    let sized: MAC? =
      switch key.count {
      case 16: twoKeys
      case 24: threeKeys
      default: throw .invalidInput
      }
    guard let sized else { throw .backend }
    return sized
  }
}
