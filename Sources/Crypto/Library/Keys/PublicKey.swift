import COpenSSL
import CSodium

/// A public key with its only, canonical encoding, which has been checked.
package final class PublicKey: Sendable {
  package let kind: KeyKind
  /// The SubjectPublicKeyInfo in DER; its SHA-256 identifies the key (RFC 5280 §4.1.2.7).
  package let spki: [UInt8]
  let key: Owned
  let verifying = Prepared<SignatureContext>()

  /// Parses a SubjectPublicKeyInfo.
  ///
  /// - Parameter spki: a named curve with an uncompressed point (91 bytes for P-256, 120 for
  ///   P-384), RSA encoded as OpenSSL does it, or Ed25519 (44 bytes).
  /// - Throws: `invalidPoint` for a point off its curve, `invalidKey` for anything else that is
  ///   wrong.
  package convenience init(spki: Span<UInt8>) throws(CryptoError) {
    for curve in [Curve.p256, .p384] where spki.hasPrefix(curve.spkiPrefix) {
      let point = spki.extracting(curve.spkiPrefix.count..<spki.count)
      self.init(kind: curve.kind, spki: spki.array, key: try curve.publicKey(point: point))
      return
    }
    if spki.hasPrefix(Self.ed25519Prefix) {
      try self.init(ed25519: spki.extracting(Self.ed25519Prefix.count..<spki.count))
    } else {
      try self.init(rsaSPKI: spki)
    }
  }

  package convenience init(spki: [UInt8]) throws(CryptoError) { try self.init(spki: spki.span) }

  /// From an uncompressed point: 65 bytes on P-256, 97 on P-384.
  package convenience init(point: Span<UInt8>, on kind: KeyKind) throws(CryptoError) {
    guard let curve = kind.curve else { throw .invalidInput }
    self.init(
      kind: kind, spki: curve.spkiPrefix + point.array, key: try curve.publicKey(point: point))
  }

  /// From 32 raw bytes (RFC 8032).
  ///
  /// - Throws: `invalidKey` unless it is the canonical encoding of a point in the prime-order
  ///   group. With a key of small order, such as the identity, one signature is valid for any
  ///   message.
  package convenience init(ed25519 raw: Span<UInt8>) throws(CryptoError) {
    guard raw.count == 32, unsafe crypto_core_ed25519_is_valid_point(raw.start) == 1 else {
      throw .invalidKey
    }
    let key = try unsafe Owned(
      EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, raw.start, raw.count), EVP_PKEY_free)
    self.init(kind: .ed25519, spki: Self.ed25519Prefix + raw.array, key: key)
  }

  /// The uncompressed point of an EC key, or nil.
  package var point: [UInt8]? {
    kind.curve.map { Array(spki.dropFirst($0.spkiPrefix.count)) }
  }

  private init(kind: KeyKind, spki: [UInt8], key: consuming Owned) {
    self.kind = kind
    self.spki = spki
    self.key = key
  }

  private convenience init(rsaSPKI spki: Span<UInt8>) throws(CryptoError) {
    guard spki.count <= 1024 else { throw .invalidKey }
    var next: UnsafePointer<UInt8>? = unsafe spki.start
    let key = try unsafe Owned(d2i_PUBKEY(nil, &next, spki.count), EVP_PKEY_free, or: .invalidKey)
    let bits = unsafe Int(EVP_PKEY_get_bits(key.pointer))
    guard unsafe EVP_PKEY_is_a(key.pointer, "RSA") == 1, KeyKind.rsaBits.contains(bits) else {
      throw .invalidKey
    }
    try unsafe Self.checkRSA(key.pointer)
    // Encoding it again proves that the encoding is canonical and that nothing was left over.
    guard try spki.elementsEqual(encodeSPKI(key)) else { throw .invalidKey }
    self.init(kind: .rsa(bits: bits), spki: spki.array, key: key)
  }

  /// Checks that the exponent is odd and at least 65537 (SP 800-56B §6.2), and that the modulus is
  /// odd.
  private static func checkRSA(_ key: OpaquePointer) throws(CryptoError) {
    let exponent = try unsafe BigNumber("e", of: key)
    let modulus = try unsafe BigNumber("n", of: key)
    guard unsafe BN_is_odd(exponent.pointer) == 1, unsafe BN_is_odd(modulus.pointer) == 1,
      unsafe (17...64).contains(BN_num_bits(exponent.pointer))
    else { throw .invalidKey }
  }

  /// Whether OpenSSL finds nothing wrong with an RSA key that somebody else made: its modulus is
  /// neither a prime, a power of one, nor divisible by a small one (SP 800-56B §6.4.2). That proves
  /// nothing: larger factors and primes close to each other pass.
  package var isPlausible: Bool {
    guard case .rsa = kind else { return true }
    guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
      return false
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    return unsafe EVP_PKEY_public_check(context) == 1
  }

  private static let ed25519Prefix: [UInt8] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
  ]
}

/// The SubjectPublicKeyInfo that OpenSSL writes for a key.
func encodeSPKI(_ key: borrowing Owned) throws(CryptoError) -> [UInt8] {
  let pointer = unsafe key.pointer
  return try unsafe encode { out in unsafe i2d_PUBKEY(pointer, out) }
}

extension PublicKey {
  /// Whether `signature` is this key's signature over `message`.
  ///
  /// ECDSA takes strict DER with SHA-256 (P-256) or SHA-384 (P-384); RSA is PKCS #1 v1.5 with
  /// SHA-256; Ed25519 takes 64 bytes.
  package func verify(signature: Span<UInt8>, message: Span<UInt8>) -> Bool {
    guard let form = kind.signatureForm else { return verifyEd25519(signature, message) }
    return verify(signature, message, form)
  }

  /// Whether the signature is this key's over a digest, which must have the size of the form's
  /// hash.
  ///
  /// - Throws: `exhausted`.
  func verify(_ signature: Span<UInt8>, digest: [UInt8], _ form: SignatureForm) throws(CryptoError)
    -> Bool
  {
    do throws(CryptoError) {
      try verifying.use(
        suiting: { $0.form == form },
        or: { () throws(CryptoError) in try SignatureContext.verifying(with: key, form) }
      ) { ready throws(CryptoError) in
        let result = unsafe EVP_PKEY_verify(
          ready.context.pointer, signature.start, signature.count, digest, digest.count)
        try check(result, or: .authenticationFailed)
      }
      return true
    } catch {
      guard error == .authenticationFailed else { throw error }
      return false
    }
  }

  private func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>, _ form: SignatureForm)
    -> Bool
  {
    do throws(CryptoError) {
      return try verify(signature, digest: form.hash.hash(message), form)
    } catch { return false }
  }

  private func verifyEd25519(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
    do throws(CryptoError) {
      let context = try unsafe Owned(EVP_MD_CTX_new(), EVP_MD_CTX_free)
      try unsafe check(
        EVP_DigestVerifyInit_ex(context.pointer, nil, nil, nil, nil, key.pointer, nil))
      try unsafe check(
        EVP_DigestVerify(
          context.pointer, signature.start, signature.count, message.start, message.count),
        or: .authenticationFailed)
      return true
    } catch { return false }
  }
}

/// The kinds of asymmetric keys that Kist supports.
package enum KeyKind: Hashable, Sendable {
  case p256, p384
  /// `bits` is the size of the modulus, within `KeyKind.rsaBits`.
  case rsa(bits: Int)
  case ed25519

  /// The RSA sizes that we accept: smaller keys are too weak, larger ones would let a peer burn our
  /// time.
  package static let rsaBits = 2048...4096

  /// The curve of an ECDH or ECDSA key.
  var curve: Curve? {
    switch self {
    case .p256: .p256
    case .p384: .p384
    case .rsa, .ed25519: nil
    }
  }
}
