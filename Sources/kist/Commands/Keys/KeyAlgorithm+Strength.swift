internal import Crypto
internal import KeyStore

extension KeyAlgorithm {
  /// The least security strength of such a key, in bits. SP 800-57 part 1 r5, table 2
  package var strength: Int {
    switch self {
    case .asymmetric(.p256), .asymmetric(.ed25519): 128
    case .asymmetric(.p384): 192
    case .asymmetric(.rsa(bits: let bits)): bits >= 7680 ? 192 : bits >= 3072 ? 128 : 112
    case .hmac, .aes256: 256
    case .tripleDES2: 80
    case .hmacOTP: 128
    }
  }
}
