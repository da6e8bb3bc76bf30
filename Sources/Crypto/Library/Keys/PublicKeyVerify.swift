internal import COpenSSL

extension PublicKey {
  /// Whether `signature` is this key's signature over `message`.
  ///
  /// ECDSA takes strict DER with SHA-256 (P-256) or SHA-384 (P-384); RSA is PKCS #1 v1.5 with SHA-256; Ed25519 takes 64 bytes.
  package func verify(signature: Span<UInt8>, message: Span<UInt8>) -> Bool {
    guard let form = kind.signatureForm else { return verifyEd25519(signature, message) }
    return verify(signature, message, form)
  }

  /// Whether the signature is this key's over a digest, which must have the size of the form's hash.
  ///
  /// - Throws: `exhausted`.
  func verify(_ signature: Span<UInt8>, digest: [UInt8], _ form: SignatureForm) throws(CryptoError) -> Bool {
    do throws(CryptoError) {
      try verifying.use(
        suiting: { $0.form == form }, or: { () throws(CryptoError) in try SignatureContext.verifying(with: key, form) }
      ) { ready throws(CryptoError) in
        let result = unsafe EVP_PKEY_verify(ready.context.pointer, signature.start, signature.count, digest, digest.count)
        try check(result, or: .authenticationFailed)
      }
      return true
    } catch {
      guard error == .authenticationFailed else { throw error }
      return false
    }
  }

  private func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>, _ form: SignatureForm) -> Bool {
    do throws(CryptoError) { return try verify(signature, digest: form.hash.hash(message), form) } catch { return false }
  }

  private func verifyEd25519(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
    do throws(CryptoError) {
      let context = try unsafe Owned(EVP_MD_CTX_new(), EVP_MD_CTX_free)
      try unsafe check(EVP_DigestVerifyInit_ex(context.pointer, nil, nil, nil, nil, key.pointer, nil))
      try unsafe check(
        EVP_DigestVerify(context.pointer, signature.start, signature.count, message.start, message.count),
        or: .authenticationFailed)
      return true
    } catch { return false }
  }
}
