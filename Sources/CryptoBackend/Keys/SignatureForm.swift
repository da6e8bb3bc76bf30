internal import COpenSSL

/// What OpenSSL has to know to make or check a signature over a digest.
struct SignatureForm: Equatable {
  enum Padding: Equatable {
    /// ECDSA has none.
    case none
    /// RFC 8017 §8.2.
    case pkcs1
    /// RFC 8017 §8.1, with MGF1 over the same hash and a salt as long as the digest.
    case pss
  }

  let padding: Padding
  let hash: HashAlgorithm
}

/// A key that is ready to make signatures of one form, or to check them.
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
    // When verifying, too: a salt of another length is another scheme.
    try unsafe check(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(form.hash.size)))
  }
}

extension SignatureScheme {
  /// nil for Ed25519, which signs no digest.
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
  /// Of the signatures that certificates and CMS use; nil for Ed25519.
  var signatureForm: SignatureForm? {
    switch self {
    case .p256: SignatureForm(padding: .none, hash: .sha256)
    case .p384: SignatureForm(padding: .none, hash: .sha384)
    case .rsa: SignatureForm(padding: .pkcs1, hash: .sha256)
    case .ed25519: nil
    }
  }
}
