package import SecretMemory

/// CMAC with triple DES (SP 800-38B), for TR-31 version B import alone.
package enum TDESCMAC {
  /// The 8-byte tag, for values that may be shown.
  ///
  /// - Parameter key: 16 bytes (two keys) or 24.
  /// - Throws: `invalidInput` for another key size.
  package static func authenticate(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: 8)
    var out = tag.mutableSpan
    try compute(key, message, &out)
    return tag
  }

  /// The 8 bytes as a secret, where the tag is part of a derived key.
  package static func derive(key: Span<UInt8>, message: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    var tag = try SecretBuffer.make(8)
    var out = tag.mutableBytes
    try compute(key, message, &out)
    return tag
  }

  private static let twoKeys = try? MAC("CMAC", "cipher", "DES-EDE-CBC", keySize: 16)
  private static let threeKeys = try? MAC("CMAC", "cipher", "DES-EDE3-CBC", keySize: 24)

  private static func compute(_ key: Span<UInt8>, _ message: Span<UInt8>, _ out: inout MutableSpan<UInt8>) throws(CryptoError) {
    let sized: MAC? =
      switch key.count {
      case 16: twoKeys
      case 24: threeKeys
      default: throw .invalidInput
      }
    guard let sized else { throw .backend }
    try sized.authenticate(key: key, message, into: &out)
  }
}
