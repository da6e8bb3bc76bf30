package import Host

/// AES-CBC (SP 800-38A) on whole blocks, without padding.
package enum AESCBC {
  /// - Parameters:
  ///   - key: 16, 24 or 32 bytes.
  ///   - iv: 16 bytes.
  ///   - plaintext: a multiple of 16 bytes.
  /// - Throws: `invalidInput` for other sizes.
  package static func encrypt(key: Span<UInt8>, iv: Span<UInt8>, plaintext: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
    var out = ciphertext.mutableSpan
    try encrypt(key: key, iv: iv, plaintext: plaintext, into: &out)
    return ciphertext
  }

  /// Likewise, into the caller's memory, because the output may be secret too.
  static func encrypt(key: Span<UInt8>, iv: Span<UInt8>, plaintext: Span<UInt8>, into out: inout MutableSpan<UInt8>) throws(CryptoError) {
    try BlockCipher.run(try cipher(key, iv, plaintext), key: key, iv: iv, input: plaintext, encrypt: true, into: &out)
  }

  /// The inverse of `encrypt`, with the same sizes.
  package static func decrypt(key: Span<UInt8>, iv: Span<UInt8>, ciphertext: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    let cipher = try cipher(key, iv, ciphertext)
    var plaintext = try SecretBuffer.make(ciphertext.count)
    var out = plaintext.mutableBytes
    try BlockCipher.run(cipher, key: key, iv: iv, input: ciphertext, encrypt: false, into: &out)
    return plaintext
  }

  private static func cipher(_ key: Span<UInt8>, _ iv: Span<UInt8>, _ input: Span<UInt8>) throws(CryptoError) -> Fetched {
    guard iv.count == 16, input.count.isMultiple(of: 16) else { throw .invalidInput }
    switch key.count {
    case 16: return .aes128CBC
    case 24: return .aes192CBC
    case 32: return .aes256CBC
    default: throw .invalidInput
    }
  }
}
