package import Host

/// CMAC with triple DES (SP 800-38B), only for importing TR-31 version B.
package enum TDESCMAC {
  /// The 8-byte tag, when it is not secret.
  ///
  /// - Parameter key: 16 bytes (two keys) or 24.
  /// - Throws: `invalidInput` for another key size.
  package static func authenticate(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    try mac(for: key).tag(key: key, message, count: 8)
  }

  /// The 8-byte tag in secret memory, when it is part of a derived key.
  package static func derive(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
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
