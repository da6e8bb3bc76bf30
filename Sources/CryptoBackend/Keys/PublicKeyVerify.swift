internal import COpenSSL

extension PublicKey {
  /// Whether `signature` over `message` is this key's.
  ///
  /// ECDSA takes strict DER with SHA-256 (P-256) or SHA-384 (P-384); RSA is PKCS #1 v1.5 with SHA-256; Ed25519 takes 64 bytes.
  package func verify(signature: Span<UInt8>, message: Span<UInt8>) -> Bool {
    verify(signature: signature, message: message, digest: kind.digest)
  }

  /// ECDSA with SHA-256 whatever the curve, as CMS signed by a P-384 key may have it.
  package func verifyECDSASHA256(signature: Span<UInt8>, message: Span<UInt8>) -> Bool {
    guard kind.curve != nil else { return false }
    return verify(signature: signature, message: message, digest: "SHA2-256")
  }

  private func verify(signature: Span<UInt8>, message: Span<UInt8>, digest: String?) -> Bool {
    do throws(CryptoError) {
      let context = try unsafe Owned(EVP_MD_CTX_new(), EVP_MD_CTX_free)
      try unsafe check(EVP_DigestVerifyInit_ex(context.pointer, nil, digest, nil, nil, key.pointer, nil))
      try unsafe check(
        EVP_DigestVerify(context.pointer, signature.start, signature.count, message.start, message.count),
        or: .authenticationFailed)
      return true
    } catch { return false }
  }
}

extension KeyKind {
  /// The digest that signatures of this kind use; Ed25519 has its own.
  var digest: String? {
    switch self {
    case .p256, .rsa: "SHA2-256"
    case .p384: "SHA2-384"
    case .ed25519: nil
    }
  }
}
