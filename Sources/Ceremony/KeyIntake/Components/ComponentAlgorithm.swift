package import Crypto

/// The algorithm of a key that is entered in components.
package enum ComponentAlgorithm: CaseIterable, Sendable {
  case aes128, aes192, aes256, tripleDES2, tripleDES3

  /// The size of the key and of each component, in bytes.
  package var byteCount: Int {
    switch self {
    case .aes128, .tripleDES2: 16
    case .aes192, .tripleDES3: 24
    case .aes256: 32
    }
  }

  /// The check value of a key or component: CMAC for AES, ECB for TDES.
  package func checkValue(of key: Span<UInt8>) throws(CryptoError) -> KeyCheckValue {
    isTripleDES ? try .tripleDES(key) : try .aes(key)
  }

  /// Whether each byte has a parity bit.
  var isTripleDES: Bool {
    switch self {
    case .aes128, .aes192, .aes256: false
    case .tripleDES2, .tripleDES3: true
    }
  }
}
