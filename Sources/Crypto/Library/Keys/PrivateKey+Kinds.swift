import COpenSSL
import Format
import Host

extension PrivateKey {
  /// Parses an RFC 5915 ECPrivateKey with a named curve.
  ///
  /// - Throws: `invalidKey` if the encoding is not DER or names no curve that we support, if the
  ///   scalar has the wrong size or is out of range, or if the public key does not belong to the
  ///   scalar.
  package convenience init(ecPrivateKeyDER der: Span<UInt8>) throws(CryptoError) {
    try self.init(ecPrivateKeyDER: der, curve: nil)
  }

  /// The same, with the curve that an enclosing PKCS #8 names.
  convenience init(ecPrivateKeyDER der: Span<UInt8>, curve outer: Curve?) throws(CryptoError) {
    do throws(CryptoError) {
      var fields = try DERReader(sequence: der)
      guard try fields.readSmall() == 1 else { throw .invalidKey }
      let scalar = try fields.read(.octetString)
      var curve = outer
      if fields.nextTag == .context(0) {
        var parameters = try fields.enter(.context(0))
        // Explicit parameters are a SEQUENCE and fail here.
        let named = Curve(oid: try parameters.read(.oid))
        try parameters.finish()
        guard let named, outer == nil || outer == named else { throw .invalidKey }
        curve = named
      }
      guard let curve else { throw .invalidKey }
      guard fields.nextTag == .context(1) else {
        try fields.finish()
        try self.init(scalar: scalar, on: curve)
        return
      }
      var publicKey = try fields.enter(.context(1))
      let bits = try publicKey.read(.bitString)
      try publicKey.finish()
      try fields.finish()
      try self.init(scalar: scalar, on: curve)
      // The point may be compressed; in either form it must be the scalar's own.
      guard try hasPoint(bits, on: curve) else { throw .invalidKey }
    } catch { throw error.asKeyError }
  }

  /// From a scalar of the curve's size, in 1..<n.
  convenience init(scalar: Span<UInt8>, on curve: Curve) throws(CryptoError) {
    let agreement = try Agreement(scalar: scalar, on: curve)
    let point = agreement.point
    var parameters = try Parameters()
    try parameters.add("group", curve.name)
    try parameters.add("pub", point.span)
    try parameters.add("priv", number: scalar)
    let key = try makeKey("EC", parameters)
    let publicKey = try PublicKey(point: point.span, on: curve.kind)
    self.init(kind: curve.kind, publicKey: publicKey, agreement: agreement, key: key)
  }

  convenience init(generateOn curve: Curve) throws(CryptoError) {
    let scalar = try curve.randomScalar()
    try self.init(scalar: scalar.bytes, on: curve)
  }

  /// SEQUENCE { 1, scalar, [0] curve, [1] public key }: 121 bytes for P-256, 167 for P-384.
  func ecPrivateKeyDER(_ curve: Curve) throws(CryptoError) -> SecretBuffer {
    guard let agreement else { throw .invalidInput }
    let head: [UInt8] = [0x02, 0x01, 0x01, 0x04, UInt8(curve.fieldSize)]
    let oid = [0xA0, UInt8(curve.oid.count + 2), 0x06, UInt8(curve.oid.count)] + curve.oid
    let point = publicKey.point ?? []
    let tail = oid + [0xA1, UInt8(point.count + 3), 0x03, UInt8(point.count + 1), 0x00] + point
    let length = head.count + curve.fieldSize + tail.count
    let start: [UInt8] =
      (length < 0x80 ? [0x30, UInt8(length)] : [0x30, 0x81, UInt8(length)]) + head
    var scalar = try SecretBuffer.make(curve.fieldSize)
    var digits = scalar.mutableBytes
    try agreement.scalar.write(into: &digits)
    var der = try SecretBuffer.make(start.count + curve.fieldSize + tail.count)
    var out = der.mutableBytes
    out.copy(start.span)
    out.copy(scalar.bytes, at: start.count)
    out.copy(tail.span, at: start.count + curve.fieldSize)
    return der
  }

  private func hasPoint(_ bits: Span<UInt8>, on curve: Curve) throws(CryptoError) -> Bool {
    guard let point = publicKey.point, bits.count >= 2, bits[0] == 0 else { return false }
    let given = bits.extracting(1..<bits.count)
    if given.elementsEqual(point) { return true }
    let compressed = [0x02 | (point[point.count - 1] & 1)] + point[1...curve.fieldSize]
    return given.elementsEqual(compressed)
  }
}

extension CryptoError {
  /// Every error in the data of a private key means that the key is invalid.
  var asKeyError: CryptoError {
    switch self {
    case .invalidInput, .invalidPoint, .authenticationFailed, .invalidCertificate, .invalidKey:
      .invalidKey
    case .exhausted, .backend: self
    }
  }
}

extension PrivateKey {
  /// Parses a PKCS #1 RSAPrivateKey with two primes (RFC 8017 A.1.2).
  ///
  /// - Throws: `invalidKey` if it is not DER, the modulus does not have 2048 to 4096 bits, or the
  ///   numbers do not match.
  package convenience init(rsaPrivateKeyDER der: Span<UInt8>) throws(CryptoError) {
    do throws(CryptoError) {
      var fields = try DERReader(sequence: der)
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

extension PrivateKey {
  /// From the 32-byte seed of RFC 8032.
  package convenience init(ed25519Seed seed: Span<UInt8>) throws(CryptoError) {
    guard seed.count == 32 else { throw .invalidKey }
    let key = try unsafe Owned(
      EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, seed.start, seed.count), EVP_PKEY_free)
    var raw = [UInt8](repeating: 0, count: 32)
    var size = raw.count
    try unsafe check(EVP_PKEY_get_raw_public_key(key.pointer, &raw, &size))
    self.init(kind: .ed25519, publicKey: try PublicKey(ed25519: raw.span), key: key)
  }

  /// The seed in PKCS #8 (RFC 8410 §7), 48 bytes.
  func ed25519PrivateKeyDER() throws(CryptoError) -> SecretBuffer {
    let prefix = Self.ed25519Prefix
    var seed = try SecretBuffer.make(32)
    var digits = seed.mutableBytes
    var size = 32
    try unsafe check(EVP_PKEY_get_raw_private_key(key.pointer, digits.mutableStart, &size))
    var der = try SecretBuffer.make(prefix.count + 32)
    var out = der.mutableBytes
    out.copy(prefix.span)
    out.copy(seed.bytes, at: prefix.count)
    return der
  }

  private static let ed25519Prefix: [UInt8] = [
    0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ]
}

/// A prepared Ed25519 signing context (RFC 8032) for one key, reusable for many messages.
final class MessageSigning: Sendable {
  private let context: Owned

  init(with key: borrowing Owned) throws(CryptoError) {
    context = try unsafe Owned(EVP_MD_CTX_new(), EVP_MD_CTX_free)
    try unsafe check(EVP_DigestSignInit_ex(context.pointer, nil, nil, nil, nil, key.pointer, nil))
  }

  /// Resets the context for the next message; without a key argument OpenSSL keeps the present key.
  @unsafe func begin() throws(CryptoError) -> OpaquePointer {
    try unsafe check(EVP_DigestSignInit_ex(context.pointer, nil, nil, nil, nil, nil, nil))
    return unsafe context.pointer
  }
}
