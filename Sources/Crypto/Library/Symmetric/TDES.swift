internal import CConstantTime
package import Host

/// Triple DES in CBC mode (SP 800-67), for check values, TR-31 A to C import, old key files, and Visa's one-time values, which require it.
package enum TDES {
  /// - Parameters:
  ///   - key: 16 bytes (two keys) or 24.
  ///   - iv: 8 bytes.
  ///   - plaintext: a multiple of 8 bytes.
  /// - Throws: `invalidInput` for other sizes.
  package static func encrypt(key: Span<UInt8>, iv: Span<UInt8>, plaintext: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    let cipher = try cipher(key, iv, plaintext)
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
    var out = ciphertext.mutableSpan
    try BlockCipher.run(cipher, key: key, iv: iv, input: plaintext, encrypt: true, into: &out)
    return ciphertext
  }

  /// The inverse of `encrypt`, with the same sizes.
  package static func decrypt(key: Span<UInt8>, iv: Span<UInt8>, ciphertext: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    let cipher = try cipher(key, iv, ciphertext)
    var plaintext = try SecretBuffer.make(ciphertext.count)
    var out = plaintext.mutableBytes
    try BlockCipher.run(cipher, key: key, iv: iv, input: ciphertext, encrypt: false, into: &out)
    return plaintext
  }

  /// The key check value: the first three bytes of an encrypted zero block.
  package static func checkValue(of key: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    let zeros: InlineArray<8, UInt8> = InlineArray(repeating: 0)
    // A check value may be known.
    return try encrypt(key: key, iv: zeros.span, plaintext: zeros.span).prefix(3).map { UInt8(kist_declassified_number(UInt64($0))) }
  }

  private static func cipher(_ key: Span<UInt8>, _ iv: Span<UInt8>, _ input: Span<UInt8>) throws(CryptoError) -> Fetched {
    guard iv.count == 8, input.count.isMultiple(of: 8) else { throw .invalidInput }
    switch key.count {
    case 16: return .tripleDES2CBC
    case 24: return .tripleDES3CBC
    default: throw .invalidInput
    }
  }
}
