internal import COpenSSL
internal import Format

/// The parameters that OpenSSL needs to sign or verify a digest.
struct SignatureForm: Equatable {
  enum Padding: Equatable {
    /// ECDSA has none.
    case none
    /// RFC 8017 §8.2.
    case pkcs1
    /// RFC 8017 §8.1, with MGF1 over the same hash and a salt of the digest's length.
    case pss
  }

  let padding: Padding
  let hash: HashAlgorithm
}

/// A prepared context for signing or verifying with one key in one form.
final class SignatureContext: Sendable {
  let form: SignatureForm
  let context: Owned

  static func signing(with key: borrowing Owned, _ form: SignatureForm) throws(CryptoError) -> SignatureContext {
    let made = try SignatureContext(key, form)
    try unsafe check(EVP_PKEY_sign_init(made.context.pointer))
    try made.configure()
    return made
  }

  static func verifying(with key: borrowing Owned, _ form: SignatureForm) throws(CryptoError) -> SignatureContext {
    let made = try SignatureContext(key, form)
    try unsafe check(EVP_PKEY_verify_init(made.context.pointer))
    try made.configure()
    return made
  }

  private init(_ key: borrowing Owned, _ form: SignatureForm) throws(CryptoError) {
    self.form = form
    context = try unsafe Owned(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), EVP_PKEY_CTX_free)
  }

  private func configure() throws(CryptoError) {
    let context = unsafe context.pointer
    switch form.padding {
    case .none: break
    case .pkcs1: try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING))
    case .pss: try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING))
    }
    try unsafe check(EVP_PKEY_CTX_set_signature_md(context, form.hash.fetched.pointer))
    guard form.padding == .pss else { return }
    try unsafe check(EVP_PKEY_CTX_set_rsa_mgf1_md(context, form.hash.fetched.pointer))
    // Also set for verifying, where another salt length must be refused.
    try unsafe check(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(form.hash.size)))
  }
}

extension SignatureChoice {
  /// Nil for Ed25519, which does not sign digests.
  var form: SignatureForm? {
    guard let hash else { return nil }
    switch self {
    case .ecdsaP256SHA256, .ecdsaP384SHA384, .ecdsaP256SHA256Fixed, .ecdsaP384SHA384Fixed: return SignatureForm(padding: .none, hash: hash)
    case .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512: return SignatureForm(padding: .pkcs1, hash: hash)
    case .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512: return SignatureForm(padding: .pss, hash: hash)
    case .ed25519: return nil
    }
  }
}

extension KeyKind {
  /// The form that certificates and CMS use; nil for Ed25519.
  var signatureForm: SignatureForm? {
    switch self {
    case .p256: SignatureForm(padding: .none, hash: .sha256)
    case .p384: SignatureForm(padding: .none, hash: .sha384)
    case .rsa: SignatureForm(padding: .pkcs1, hash: .sha256)
    case .ed25519: nil
    }
  }
}
