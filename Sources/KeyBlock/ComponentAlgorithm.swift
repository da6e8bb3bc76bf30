package import CryptoBackend

/// What a key that comes in components is a key of.
package enum ComponentAlgorithm: CaseIterable, Sendable {
  case aes128, aes192, aes256, tripleDES2, tripleDES3

  /// Bytes of the key, and of each component.
  package var byteCount: Int {
    switch self {
    case .aes128, .tripleDES2: 16
    case .aes192, .tripleDES3: 24
    case .aes256: 32
    }
  }

  /// AES by CMAC, TDES by ECB, of a key as of a component.
  package func checkValue(of key: Span<UInt8>) throws(CryptoError) -> KeyCheckValue {
    isTripleDES ? try .tripleDES(key) : try .aes(key)
  }

  /// Whether bytes have a parity bit.
  package var isTripleDES: Bool {
    switch self {
    case .aes128, .aes192, .aes256: false
    case .tripleDES2, .tripleDES3: true
    }
  }
}
