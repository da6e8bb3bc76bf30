package import Format

extension SignatureChoice {
  /// The hash of the message; nil for Ed25519, which does not sign digests.
  package var hash: HashAlgorithm? {
    switch self {
    case .ecdsaP256SHA256, .ecdsaP256SHA256Fixed, .rsaPKCS1SHA256, .rsaPSSSHA256: .sha256
    case .ecdsaP384SHA384, .ecdsaP384SHA384Fixed, .rsaPKCS1SHA384, .rsaPSSSHA384: .sha384
    case .rsaPKCS1SHA512, .rsaPSSSHA512: .sha512
    case .ed25519: nil
    }
  }

  /// Whether a key of this kind can make such signatures.
  package func fits(_ kind: KeyKind) -> Bool {
    switch self {
    case .ecdsaP256SHA256, .ecdsaP256SHA256Fixed: kind == .p256
    case .ecdsaP384SHA384, .ecdsaP384SHA384Fixed: kind == .p384
    case .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512, .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512:
      if case .rsa = kind { true } else { false }
    case .ed25519: kind == .ed25519
    }
  }

  /// The curve whose field size is the width of r and s; nil for all other schemes.
  var fixedCurve: Curve? {
    switch self {
    case .ecdsaP256SHA256Fixed: .p256
    case .ecdsaP384SHA384Fixed: .p384
    case .ecdsaP256SHA256, .ecdsaP384SHA384, .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512, .rsaPSSSHA256, .rsaPSSSHA384,
      .rsaPSSSHA512, .ed25519:
      nil
    }
  }
}

/// What the caller passes in to be signed.
package enum SignatureInput: Hashable, Sendable {
  case message
  /// The message's digest, computed by the caller.
  case digest
}
