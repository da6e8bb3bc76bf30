internal import COpenSSL

extension PrivateKey {
  /// A signature over a message, or over its digest.
  ///
  /// - Throws: `invalidInput` where the scheme is none of this key's, or the digest is not as long as its hash's.
  package func sign(_ bytes: Span<UInt8>, _ input: SignatureInput, _ scheme: SignatureScheme) throws(CryptoError) -> [UInt8] {
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
  /// Whether the signature is this key's over a message, or over its digest; one of another form is not.
  ///
  /// - Throws: `invalidInput` where the scheme is none of this key's, or the digest is not as long as its hash's.
  package func verify(
    _ signature: Span<UInt8>, over bytes: Span<UInt8>, _ input: SignatureInput, _ scheme: SignatureScheme
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
  /// What is signed in place of the message.
  fileprivate func digest(of bytes: Span<UInt8>, _ input: SignatureInput) throws(CryptoError) -> [UInt8] {
    switch input {
    case .message: return try hash(bytes)
    case .digest:
      guard bytes.count == size else { throw .invalidInput }
      return bytes.array
    }
  }
}
