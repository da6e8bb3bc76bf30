package import CryptoBackend

/// What a stored key computes with.
package enum KeyAlgorithm: Hashable, Sendable {
  case asymmetric(KeyKind)
  /// A 32-byte key.
  case hmacSHA256

  /// Such as `P-256` or `RSA-2048`.
  package var name: String {
    switch self {
    case .asymmetric(.p256): "P-256"
    case .asymmetric(.p384): "P-384"
    case .asymmetric(.rsa(let bits)): "RSA-\(bits)"
    case .asymmetric(.ed25519): "Ed25519"
    case .hmacSHA256: "HMAC-SHA-256"
    }
  }

  var isRSA: Bool {
    switch self {
    case .asymmetric(.rsa): true
    case .asymmetric(.p256), .asymmetric(.p384), .asymmetric(.ed25519), .hmacSHA256: false
    }
  }

  package init?(name: String) {
    switch name {
    case "P-256": self = .asymmetric(.p256)
    case "P-384": self = .asymmetric(.p384)
    case "Ed25519": self = .asymmetric(.ed25519)
    case "HMAC-SHA-256": self = .hmacSHA256
    default:
      guard name.hasPrefix("RSA-"), let bits = Int(name.dropFirst(4)), KeyKind.rsaBits.contains(bits) else { return nil }
      self = .asymmetric(.rsa(bits: bits))
    }
  }
}
