internal import COpenSSL

extension PrivateKey {
  /// A signature over a message, or over its digest.
  ///
  /// - Throws: `invalidInput` where the scheme is none of this key's, or the digest is not as long as its hash's.
  package func sign(_ bytes: Span<UInt8>, _ input: SignatureInput, _ scheme: SignatureScheme) throws(CryptoError) -> [UInt8] {
    guard scheme.fits(kind) else { throw .invalidInput }
    guard let digest = try scheme.digest(bytes, input) else { return try sign(bytes) }
    let context = try unsafe Owned(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), EVP_PKEY_CTX_free)
    try unsafe check(EVP_PKEY_sign_init(context.pointer))
    try scheme.configure(context)
    var size = unsafe Int(EVP_PKEY_get_size(key.pointer))
    var signature = [UInt8](repeating: 0, count: size)
    try unsafe check(EVP_PKEY_sign(context.pointer, &signature, &size, digest, digest.count))
    signature.removeLast(signature.count - size)
    guard let curve = scheme.fixedCurve else { return signature }
    return try ECDSASignature(der: signature.span).fixedWidth(curve)
  }
}

extension PublicKey {
  /// Whether the signature is this key's over a message, or over its digest; one of another form is not.
  ///
  /// - Throws: `invalidInput` where the scheme is none of this key's, or the digest is not as long as its hash's.
  package func verify(
    _ signature: Span<UInt8>, over bytes: Span<UInt8>, _ input: SignatureInput, _ scheme: SignatureScheme
  ) throws(CryptoError) -> Bool {
    guard scheme.fits(kind) else { throw .invalidInput }
    guard let digest = try scheme.digest(bytes, input) else { return verify(signature: signature, message: bytes) }
    let form: [UInt8]
    if let curve = scheme.fixedCurve {
      guard let converted = try ECDSASignature(fixedWidth: signature, curve)?.der() else { return false }
      form = converted
    } else {
      form = signature.array
    }
    let context = try unsafe Owned(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), EVP_PKEY_CTX_free)
    try unsafe check(EVP_PKEY_verify_init(context.pointer))
    try scheme.configure(context)
    let result = unsafe EVP_PKEY_verify(context.pointer, form, form.count, digest, digest.count)
    guard result != 1 else { return true }
    guard failure(.authenticationFailed) == .authenticationFailed else { throw .exhausted }
    return false
  }
}

extension SignatureScheme {
  /// What is signed in place of the message; nil where it is the message itself.
  fileprivate func digest(_ bytes: Span<UInt8>, _ input: SignatureInput) throws(CryptoError) -> [UInt8]? {
    guard let hash else {
      guard input == .message else { throw .invalidInput }
      return nil
    }
    switch input {
    case .message: return try hash.hash(bytes)
    case .digest:
      guard bytes.count == hash.size else { throw .invalidInput }
      return bytes.array
    }
  }

  fileprivate func configure(_ context: borrowing Owned) throws(CryptoError) {
    guard let hash else { throw .backend }
    switch self {
    case .ecdsaP256SHA256, .ecdsaP384SHA384, .ecdsaP256SHA256Fixed, .ecdsaP384SHA384Fixed, .ed25519: break
    case .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512:
      try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context.pointer, RSA_PKCS1_PADDING))
    case .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512:
      try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context.pointer, RSA_PKCS1_PSS_PADDING))
    }
    try unsafe check(EVP_PKEY_CTX_set_signature_md(context.pointer, hash.fetched.pointer))
    guard isPSS else { return }
    try unsafe check(EVP_PKEY_CTX_set_rsa_mgf1_md(context.pointer, hash.fetched.pointer))
    // When verifying, too: a salt of another length is another scheme.
    try unsafe check(EVP_PKEY_CTX_set_rsa_pss_saltlen(context.pointer, Int32(hash.size)))
  }
}
