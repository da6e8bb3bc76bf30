internal import COpenSSL
internal import Host

extension PrivateKey {
  /// Parses a PKCS #1 RSAPrivateKey with two primes (RFC 8017 A.1.2).
  ///
  /// - Throws: `invalidKey` if it is not DER, the modulus does not have 2048 to 4096 bits, or the numbers do not match.
  package convenience init(rsaPrivateKeyDER der: Span<UInt8>) throws(CryptoError) {
    do throws(CryptoError) {
      var whole = DERReader(der)
      var fields = try whole.enter()
      try whole.finish()
      guard try fields.readSmall() == 0 else { throw .invalidKey }
      let modulus = try fields.readUnsigned()
      guard KeyKind.rsaBits.contains(modulus.count * 8) else { throw .invalidKey }
      var parameters = try Parameters()
      try parameters.add("n", number: modulus)
      try parameters.add("e", number: fields.readUnsigned())
      try parameters.add("d", number: fields.readUnsigned())
      try parameters.add("rsa-factor1", number: fields.readUnsigned())
      try parameters.add("rsa-factor2", number: fields.readUnsigned())
      try parameters.add("rsa-exponent1", number: fields.readUnsigned())
      try parameters.add("rsa-exponent2", number: fields.readUnsigned())
      try parameters.add("rsa-coefficient1", number: fields.readUnsigned())
      try fields.finish()
      try self.init(rsa: try makeKey("RSA", parameters))
    } catch { throw error.asKeyError }
  }

  convenience init(generateRSA bits: Int) throws(CryptoError) {
    guard KeyKind.rsaBits.contains(bits), bits.isMultiple(of: 8) else { throw .invalidInput }
    let context = try unsafe Owned(EVP_PKEY_CTX_new_from_name(nil, "RSA", nil), EVP_PKEY_CTX_free)
    var key: OpaquePointer?
    try unsafe check(EVP_PKEY_keygen_init(context.pointer))
    try unsafe check(EVP_PKEY_CTX_set_rsa_keygen_bits(context.pointer, Int32(bits)))
    try unsafe check(EVP_PKEY_generate(context.pointer, &key))
    try self.init(rsa: try unsafe Owned(key, EVP_PKEY_free))
  }

  func rsaPrivateKeyDER() throws(CryptoError) -> SecretBuffer {
    var encoded: UnsafeMutablePointer<UInt8>?
    let size = unsafe i2d_PrivateKey(key.pointer, &encoded)
    guard size > 0, let start = unsafe encoded else { throw failure(.backend) }
    defer { unsafe CRYPTO_clear_free(start, Int(size), "", 0) }
    return try unsafe SecretBuffer.make(copying: Span(_unsafeStart: start, count: Int(size)))
  }

  private convenience init(rsa key: consuming Owned) throws(CryptoError) {
    guard try unsafe rsaRelationsHold(key.pointer) else { throw .invalidKey }
    let publicKey = try PublicKey(spki: encodeSPKI(key))
    self.init(kind: publicKey.kind, publicKey: publicKey, key: key)
  }
}
