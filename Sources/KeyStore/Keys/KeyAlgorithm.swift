package import Crypto

/// The algorithm of a stored key.
package enum KeyAlgorithm: Hashable, Sendable {
  case asymmetric(KeyKind)
  /// A key of 32 to 64 bytes.
  case hmac(HashAlgorithm)
  /// A 32-byte key.
  case aes256
  /// Two-key Triple DES, 16 bytes.
  case tripleDES2
  /// A key for one-time passwords, 16 to 64 bytes; the record's attributes name its hash.
  case hmacOTP

  /// Such as `P-256` or `RSA-2048`.
  package var name: String {
    switch self {
    case .asymmetric(.p256): "P-256"
    case .asymmetric(.p384): "P-384"
    case .asymmetric(.rsa(let bits)): "RSA-\(bits)"
    case .asymmetric(.ed25519): "Ed25519"
    case .hmac(let hash): "HMAC-" + hash.name
    case .aes256: "AES-256"
    case .tripleDES2: "TDEA-2"
    case .hmacOTP: "HMAC-OTP"
    }
  }

  var isRSA: Bool {
    switch self {
    case .asymmetric(.rsa): true
    case .asymmetric(.p256), .asymmetric(.p384), .asymmetric(.ed25519), .hmac, .aes256, .tripleDES2,
      .hmacOTP:
      false
    }
  }

  /// The lengths that a symmetric key of this algorithm can have, in bytes; nil for asymmetric
  /// ones.
  package var byteCounts: ClosedRange<Int>? {
    switch self {
    case .asymmetric: nil
    case .hmac: 32...64
    case .aes256: 32...32
    case .tripleDES2: 16...16
    case .hmacOTP: 16...64
    }
  }

  func allows(byteCount count: Int) -> Bool { byteCounts?.contains(count) ?? false }

  package init?(name: String) {
    switch name {
    case "P-256": self = .asymmetric(.p256)
    case "P-384": self = .asymmetric(.p384)
    case "Ed25519": self = .asymmetric(.ed25519)
    case "HMAC-SHA-256": self = .hmac(.sha256)
    case "HMAC-SHA-384": self = .hmac(.sha384)
    case "HMAC-SHA-512": self = .hmac(.sha512)
    case "AES-256": self = .aes256
    case "TDEA-2": self = .tripleDES2
    case "HMAC-OTP": self = .hmacOTP
    default:
      guard name.hasPrefix("RSA-"), let bits = Int(name.dropFirst(4)),
        KeyKind.rsaBits.contains(bits)
      else { return nil }
      self = .asymmetric(.rsa(bits: bits))
    }
  }
}
