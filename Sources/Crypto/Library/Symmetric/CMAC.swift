import CConstantTime
package import Host

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
