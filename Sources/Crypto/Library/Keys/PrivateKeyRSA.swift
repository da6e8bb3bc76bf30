import COpenSSL
import Host

extension PrivateKey {
  /// Parses a PKCS #1 RSAPrivateKey with two primes (RFC 8017 A.1.2).
  ///
  /// - Throws: `invalidKey` if it is not DER, the modulus does not have 2048 to 4096 bits, or the
  ///   numbers do not match.
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

/// Whether the numbers of an RSA private key with two primes satisfy the relations of RFC 8017
/// §3.2.
///
/// It takes microseconds, so it can check every key of the store at each start. That p and q are
/// prime is tested only when a key first comes in, by `PrivateKey.validate`.
@unsafe func rsaRelationsHold(_ key: OpaquePointer) throws(CryptoError) -> Bool {
  let n = try unsafe BigNumber("n", of: key)
  let e = try unsafe BigNumber("e", of: key)
  let d = try unsafe BigNumber("d", of: key)
  let p = try unsafe BigNumber("rsa-factor1", of: key)
  let q = try unsafe BigNumber("rsa-factor2", of: key)
  let dP = try unsafe BigNumber("rsa-exponent1", of: key)
  let dQ = try unsafe BigNumber("rsa-exponent2", of: key)
  let inverse = try unsafe BigNumber("rsa-coefficient1", of: key)
  let p1 = try p.minusOne()
  let q1 = try q.minusOne()
  let product = try p.times(q)
  let ed = try e.times(d)
  let edP = try e.times(dP)
  let edQ = try e.times(dQ)
  let unit = try q.times(inverse)
  guard product.equals(n), try ed.isOne(modulo: p1), try ed.isOne(modulo: q1) else { return false }
  guard try edP.isOne(modulo: p1), try edQ.isOne(modulo: q1) else { return false }
  return try unit.isOne(modulo: p)
}
