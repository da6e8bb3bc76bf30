package import SecretMemory

/// AES-CMAC (SP 800-38B, RFC 4493).
package enum AESCMAC {
  /// The 16-byte tag, for values that may be shown.
  ///
  /// - Parameter key: 16, 24 or 32 bytes.
  /// - Throws: `invalidInput` for another key size.
  package static func authenticate(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: 16)
    var out = tag.mutableSpan
    try compute(key, message, &out)
    return tag
  }

  /// The 16 bytes as a secret, where the tag is part of a derived key.
  package static func derive(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    var tag = try SecretBuffer.make(16)
    var out = tag.mutableBytes
    try compute(key, message, &out)
    return tag
  }

  /// The key check value: CMAC over 16 zero bytes, of which X9.143 shows five bytes and others three.
  package static func checkValue(of key: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    let zeros: InlineArray<16, UInt8> = InlineArray(repeating: 0)
    return Array(try authenticate(key: key, message: zeros.span).prefix(5))
  }

  static let aes128 = try? MAC("CMAC", "cipher", "AES-128-CBC", keySize: 16)
  static let aes192 = try? MAC("CMAC", "cipher", "AES-192-CBC", keySize: 24)
  static let aes256 = try? MAC("CMAC", "cipher", "AES-256-CBC", keySize: 32)

  private static func compute(_ key: Span<UInt8>, _ message: Span<UInt8>, _ out: inout MutableSpan<UInt8>) throws(CryptoError) {
    let sized: MAC? =
      switch key.count {
      case 16: aes128
      case 24: aes192
      case 32: aes256
      default: throw .invalidInput
      }
    guard let sized else { throw .backend }
    try sized.authenticate(key: key, message, into: &out)
  }
}
