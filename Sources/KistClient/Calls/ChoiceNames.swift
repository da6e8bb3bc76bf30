package import Format

// The names of algorithms on the command line; the daemon knows their numbers alone.

extension SignatureChoice: Named {
  package var name: String {
    switch self {
    case .ecdsaP256SHA256: "ecdsa-p256-sha256"
    case .ecdsaP384SHA384: "ecdsa-p384-sha384"
    case .ecdsaP256SHA256Fixed: "ecdsa-p256-sha256-fixed"
    case .ecdsaP384SHA384Fixed: "ecdsa-p384-sha384-fixed"
    case .rsaPKCS1SHA256: "rsa-pkcs1-sha256"
    case .rsaPKCS1SHA384: "rsa-pkcs1-sha384"
    case .rsaPKCS1SHA512: "rsa-pkcs1-sha512"
    case .rsaPSSSHA256: "rsa-pss-sha256"
    case .rsaPSSSHA384: "rsa-pss-sha384"
    case .rsaPSSSHA512: "rsa-pss-sha512"
    case .ed25519: "ed25519"
    }
  }
}

extension DerivationChoice: Named {
  package var name: String {
    switch self {
    case .oneStepSHA256: "one-step-sha256"
    case .oneStepSHA384: "one-step-sha384"
    case .oneStepSHA512: "one-step-sha512"
    case .x963SHA256: "x963-sha256"
    case .x963SHA384: "x963-sha384"
    case .x963SHA512: "x963-sha512"
    case .hkdfSHA256: "hkdf-sha256"
    case .hkdfSHA384: "hkdf-sha384"
    case .hkdfSHA512: "hkdf-sha512"
    }
  }
}

extension MACChoice: Named {
  package var name: String {
    switch self {
    case .hmacSHA256: "hmac-sha256"
    case .hmacSHA384: "hmac-sha384"
    case .hmacSHA512: "hmac-sha512"
    case .aesCMAC: "aes-cmac"
    }
  }
}
