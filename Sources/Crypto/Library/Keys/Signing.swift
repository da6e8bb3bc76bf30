internal import COpenSSL
package import Format

extension PrivateKey {
  /// Signs a message, or a digest of one.
  ///
  /// - Throws: `invalidInput` if the scheme does not fit this key, or the digest has the wrong size.
  package func sign(_ bytes: Span<UInt8>, _ input: SignatureInput, _ scheme: SignatureChoice) throws(CryptoError) -> [UInt8] {
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
  /// Whether the signature is this key's over a message or a digest of one; false for a signature in another encoding.
  ///
  /// - Throws: `invalidInput` if the scheme does not fit this key, or the digest has the wrong size.
  package func verify(
    _ signature: Span<UInt8>, over bytes: Span<UInt8>, _ input: SignatureInput, _ scheme: SignatureChoice
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
  fileprivate func digest(of bytes: Span<UInt8>, _ input: SignatureInput) throws(CryptoError) -> [UInt8] {
    switch input {
    case .message: return try hash(bytes)
    case .digest:
      guard bytes.count == size else { throw .invalidInput }
      return bytes.array
    }
  }
}
