package import CryptoBackend

/// What a stored key computes with.
package enum KeyAlgorithm: Hashable, Sendable {
  case asymmetric(KeyKind)
  /// A 32-byte key.
  case hmacSHA256

  /// As the manifest writes it, such as `ec-p256` or `rsa-2048`.
  package var name: String {
    switch self {
    case .asymmetric(.p256): "ec-p256"
    case .asymmetric(.p384): "ec-p384"
    case .asymmetric(.rsa(let bits)): "rsa-\(bits)"
    case .asymmetric(.ed25519): "ed25519"
    case .hmacSHA256: "hmac-sha256"
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
    case "ec-p256": self = .asymmetric(.p256)
    case "ec-p384": self = .asymmetric(.p384)
    case "ed25519": self = .asymmetric(.ed25519)
    case "hmac-sha256": self = .hmacSHA256
    default:
      guard name.hasPrefix("rsa-"), let bits = Int(name.dropFirst(4)), KeyKind.rsaBits.contains(bits) else { return nil }
      self = .asymmetric(.rsa(bits: bits))
    }
  }
}
