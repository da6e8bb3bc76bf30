/// A signature that a caller can ask for: algorithm, hash and form.
package enum SignatureScheme: Hashable, CaseIterable, Sendable {
  /// DER (RFC 3279 §2.2.3), with the hash that matches the curve.
  case ecdsaP256SHA256, ecdsaP384SHA384
  /// r ‖ s, each as long as the field (IEEE P1363).
  case ecdsaP256SHA256Fixed, ecdsaP384SHA384Fixed
  /// RFC 8017 §8.2.
  case rsaPKCS1SHA256, rsaPKCS1SHA384, rsaPKCS1SHA512
  /// RFC 8017 §8.1: MGF1 with the same hash, the salt as long as the digest.
  case rsaPSSSHA256, rsaPSSSHA384, rsaPSSSHA512
  /// RFC 8032, over the message itself.
  case ed25519

  /// The hash of the message; nil for Ed25519, which signs no digest.
  package var hash: HashAlgorithm? {
    switch self {
    case .ecdsaP256SHA256, .ecdsaP256SHA256Fixed, .rsaPKCS1SHA256, .rsaPSSSHA256: .sha256
    case .ecdsaP384SHA384, .ecdsaP384SHA384Fixed, .rsaPKCS1SHA384, .rsaPSSSHA384: .sha384
    case .rsaPKCS1SHA512, .rsaPSSSHA512: .sha512
    case .ed25519: nil
    }
  }

  /// Whether a key of this kind can make such a signature.
  package func fits(_ kind: KeyKind) -> Bool {
    switch self {
    case .ecdsaP256SHA256, .ecdsaP256SHA256Fixed: kind == .p256
    case .ecdsaP384SHA384, .ecdsaP384SHA384Fixed: kind == .p384
    case .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512, .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512:
      if case .rsa = kind { true } else { false }
    case .ed25519: kind == .ed25519
    }
  }

  /// The curve whose field sets the width of r and s; nil for every other form.
  var fixedCurve: Curve? {
    switch self {
    case .ecdsaP256SHA256Fixed: .p256
    case .ecdsaP384SHA384Fixed: .p384
    case .ecdsaP256SHA256, .ecdsaP384SHA384, .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512, .rsaPSSSHA256, .rsaPSSSHA384,
      .rsaPSSSHA512, .ed25519:
      nil
    }
  }

  var isPSS: Bool { self == .rsaPSSSHA256 || self == .rsaPSSSHA384 || self == .rsaPSSSHA512 }
}

/// What a signature is over.
package enum SignatureInput: Hashable, Sendable {
  case message
  /// Its digest, made by the caller.
  case digest
}
