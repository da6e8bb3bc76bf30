import COpenSSL
package import Format

extension PrivateKey {
  /// Signs a message, or a digest of one.
  ///
  /// - Throws: `invalidInput` if the scheme does not fit this key, or the digest has the wrong
  ///   size.
  package func sign(_ bytes: Span<UInt8>, _ input: SignatureInput, _ scheme: SignatureChoice)
    throws(CryptoError) -> [UInt8]
  {
    guard scheme.fits(kind) else { throw .invalidInput }
    guard let form = scheme.form else {
      guard input == .message else { throw .invalidInput }
      return try sign(bytes)
    }
    let signature = try sign(digest: form.hash.digest(of: bytes, input), form)
    guard let curve = scheme.fixedCurve else { return signature }
    return try ECDSASignature(der: signature.span).fixedWidth(curve)
  }
}

extension PublicKey {
  /// Whether the signature is this key's over a message or a digest of one; false for a signature
  /// in another encoding.
  ///
  /// - Throws: `invalidInput` if the scheme does not fit this key, or the digest has the wrong
  ///   size.
  package func verify(
    _ signature: Span<UInt8>, over bytes: Span<UInt8>, _ input: SignatureInput,
    _ scheme: SignatureChoice
  ) throws(CryptoError) -> Bool {
    guard scheme.fits(kind) else { throw .invalidInput }
    guard let form = scheme.form else {
      guard input == .message else { throw .invalidInput }
      return verify(signature: signature, message: bytes)
    }
    let digest = try form.hash.digest(of: bytes, input)
    guard let curve = scheme.fixedCurve else { return try verify(signature, digest: digest, form) }
    guard let der = try ECDSASignature(fixedWidth: signature, curve)?.der() else { return false }
    return try verify(der.span, digest: digest, form)
  }
}

extension HashAlgorithm {
  /// The digest that is signed.
  fileprivate func digest(of bytes: Span<UInt8>, _ input: SignatureInput) throws(CryptoError)
    -> [UInt8]
  {
    switch input {
    case .message: return try hash(bytes)
    case .digest:
      guard bytes.count == size else { throw .invalidInput }
      return bytes.array
    }
  }
}

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
    case .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512, .rsaPSSSHA256, .rsaPSSSHA384,
      .rsaPSSSHA512:
      if case .rsa = kind { true } else { false }
    case .ed25519: kind == .ed25519
    }
  }

  /// The curve whose field size is the width of r and s; nil for all other schemes.
  var fixedCurve: Curve? {
    switch self {
    case .ecdsaP256SHA256Fixed: .p256
    case .ecdsaP384SHA384Fixed: .p384
    case .ecdsaP256SHA256, .ecdsaP384SHA384, .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512,
      .rsaPSSSHA256, .rsaPSSSHA384,
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

  static func signing(with key: borrowing Owned, _ form: SignatureForm) throws(CryptoError)
    -> SignatureContext
  {
    let made = try SignatureContext(key, form)
    try unsafe check(EVP_PKEY_sign_init(made.context.pointer))
    try made.configure()
    return made
  }

  static func verifying(with key: borrowing Owned, _ form: SignatureForm) throws(CryptoError)
    -> SignatureContext
  {
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
    case .ecdsaP256SHA256, .ecdsaP384SHA384, .ecdsaP256SHA256Fixed, .ecdsaP384SHA384Fixed:
      return SignatureForm(padding: .none, hash: hash)
    case .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512:
      return SignatureForm(padding: .pkcs1, hash: hash)
    case .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512:
      return SignatureForm(padding: .pss, hash: hash)
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

/// An ECDSA signature, to convert between its two encodings.
struct ECDSASignature: ~Copyable {
  private let value: Owned

  /// Parses a signature as OpenSSL does, which takes other encodings than DER, too.
  init(der: Span<UInt8>) throws(CryptoError) {
    var next: UnsafePointer<UInt8>? = unsafe der.start
    value = try unsafe Owned(d2i_ECDSA_SIG(nil, &next, der.count), ECDSA_SIG_free)
  }

  /// Parses r ‖ s; nil unless each is as wide as the field.
  init?(fixedWidth bytes: Span<UInt8>, _ curve: Curve) throws(CryptoError) {
    let width = curve.fieldSize
    guard bytes.count == 2 * width else { return nil }
    let value = try unsafe Owned(ECDSA_SIG_new(), ECDSA_SIG_free)
    let r = unsafe BN_bin2bn(bytes.start, Int32(width), nil)
    let s = unsafe BN_bin2bn(bytes.start + width, Int32(width), nil)
    guard let r = unsafe r, let s = unsafe s, unsafe ECDSA_SIG_set0(value.pointer, r, s) == 1 else {
      unsafe BN_free(r)
      unsafe BN_free(s)
      throw failure(.backend)
    }
    self.value = value
  }

  @unsafe var r: OpaquePointer? { unsafe ECDSA_SIG_get0_r(value.pointer) }
  @unsafe var s: OpaquePointer? { unsafe ECDSA_SIG_get0_s(value.pointer) }

  func fixedWidth(_ curve: Curve) throws(CryptoError) -> [UInt8] {
    let width = curve.fieldSize
    var r = [UInt8](repeating: 0, count: width), s = r
    guard unsafe BN_bn2binpad(self.r, &r, Int32(width)) == Int32(width),
      unsafe BN_bn2binpad(self.s, &s, Int32(width)) == Int32(width)
    else { throw failure(.backend) }
    return r + s
  }

  func der() throws(CryptoError) -> [UInt8] {
    let pointer = unsafe value.pointer
    return try unsafe encode { out in unsafe i2d_ECDSA_SIG(pointer, out) }
  }
}
