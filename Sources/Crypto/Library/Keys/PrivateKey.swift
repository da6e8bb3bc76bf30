import COpenSSL
import Format
package import Host

/// A private key in the arena, immutable and usable from any thread.
package final class PrivateKey: Sendable {
  package let kind: KeyKind
  package let publicKey: PublicKey
  let key: Owned
  /// Of an EC key.
  let agreement: Agreement?
  let signing = Prepared<SignatureContext>()
  let messageSigning = Prepared<MessageSigning>()

  /// The SubjectPublicKeyInfo of its public key.
  package var spki: [UInt8] { publicKey.spki }

  /// Generates a key with OpenSSL's generator, or for Ed25519 with the kernel's.
  package static func generate(_ kind: KeyKind) throws(CryptoError) -> PrivateKey {
    switch kind {
    case .p256: return try PrivateKey(generateOn: .p256)
    case .p384: return try PrivateKey(generateOn: .p384)
    case .rsa(let bits): return try PrivateKey(generateRSA: bits)
    case .ed25519:
      let seed = try Random.secret(count: 32)
      return try PrivateKey(ed25519Seed: seed.bytes)
    }
  }

  /// The key in DER: RFC 5915 for EC, PKCS #1 for RSA, RFC 8410 for Ed25519.
  ///
  /// The encoding is canonical: parsing and writing it again gives the same bytes.
  package func serialised() throws(CryptoError) -> SecretBuffer {
    switch kind {
    case .p256: try ecPrivateKeyDER(.p256)
    case .p384: try ecPrivateKeyDER(.p384)
    case .rsa: try rsaPrivateKeyDER()
    case .ed25519: try ed25519PrivateKeyDER()
    }
  }

  /// The full check for a key that comes in for the first time; for RSA it tests the primes, which
  /// takes some 40 ms.
  ///
  /// - Throws: `invalidKey`.
  package func validate() throws(CryptoError) {
    let context = try unsafe Owned(
      EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), EVP_PKEY_CTX_free)
    try unsafe check(EVP_PKEY_check(context.pointer), or: .invalidKey)
  }

  init(kind: KeyKind, publicKey: PublicKey, agreement: Agreement? = nil, key: consuming Owned) {
    self.kind = kind
    self.publicKey = publicKey
    self.agreement = agreement
    self.key = key
  }
}

/// Makes a key from parameters, which OpenSSL copies.
func makeKey(_ type: String, _ parameters: borrowing Parameters) throws(CryptoError) -> Owned {
  let context = try unsafe Owned(EVP_PKEY_CTX_new_from_name(nil, type, nil), EVP_PKEY_CTX_free)
  let list = try parameters.build()
  var key: OpaquePointer?
  try unsafe check(EVP_PKEY_fromdata_init(context.pointer))
  let result = unsafe EVP_PKEY_fromdata(context.pointer, &key, Selection.keyPair, list.first)
  try check(result, or: .invalidKey)
  return try unsafe Owned(key, EVP_PKEY_free)
}

extension PrivateKey {
  /// ECDH (SP 800-56A §5.7.1.2) with a peer's uncompressed point.
  ///
  /// - Parameter point: 65 bytes 04 ‖ X ‖ Y on P-256, 97 on P-384.
  /// - Returns: Z, 32 or 48 bytes including leading zeros.
  /// - Throws: `invalidPoint` for another encoding or a point off the curve; `invalidInput` if this
  ///   is not an EC key.
  package func agree(with point: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    guard let agreement else { throw .invalidInput }
    return try agreement.z(with: point)
  }

  /// ECDH with a peer's uncompressed point or SubjectPublicKeyInfo with a named curve.
  ///
  /// - Throws: `invalidPoint` for any other encoding or curve; `invalidInput` if this is not an EC
  ///   key.
  package func agree(withPeer peer: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    guard let curve = kind.curve else { throw .invalidInput }
    return try peer.hasPrefix(curve.spkiPrefix) ? agree(withSPKI: peer) : agree(with: peer)
  }

  /// ECDH with a peer's SubjectPublicKeyInfo, which must name this key's curve.
  ///
  /// - Throws: `invalidPoint` for any other encoding or curve; `invalidInput` if this is not an EC
  ///   key.
  package func agree(withSPKI peer: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    guard let curve = kind.curve else { throw .invalidInput }
    guard peer.hasPrefix(curve.spkiPrefix) else { throw .invalidPoint }
    return try agree(with: peer.extracting(droppingFirst: curve.spkiPrefix.count))
  }

  /// Signs `message`.
  ///
  /// - Returns: ECDSA as DER with SHA-256 (P-256) or SHA-384 (P-384), RSA PKCS #1 v1.5 with
  ///   SHA-256, or 64 bytes of Ed25519.
  package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    if let form = kind.signatureForm { return try sign(digest: form.hash.hash(message), form) }
    return try messageSigning.use(or: { () throws(CryptoError) in try MessageSigning(with: key) }) {
      ready throws(CryptoError) in
      let context = try unsafe ready.begin()
      return try unsafe signature { (out, size) in
        unsafe EVP_DigestSign(context, out, &size, message.start, message.count)
      }
    }
  }

  /// Signs a digest, which must have the size of the form's hash.
  func sign(digest: [UInt8], _ form: SignatureForm) throws(CryptoError) -> [UInt8] {
    try signing.use(
      suiting: { $0.form == form },
      or: { () throws(CryptoError) in try SignatureContext.signing(with: key, form) }
    ) { ready throws(CryptoError) in
      try unsafe signature { (out, size) in
        unsafe EVP_PKEY_sign(ready.context.pointer, out, &size, digest, digest.count)
      }
    }
  }

  private func signature(_ make: (UnsafeMutablePointer<UInt8>?, inout Int) -> Int32)
    throws(CryptoError) -> [UInt8]
  {
    var size = unsafe Int(EVP_PKEY_get_size(key.pointer))
    var signature = [UInt8](repeating: 0, count: size)
    try unsafe check(
      signature.withUnsafeMutableBufferPointer { unsafe make($0.baseAddress, &size) })
    signature.removeLast(signature.count - size)
    return signature
  }

  /// RSAES-OAEP with SHA-256, MGF1 with SHA-256 and the empty label (RFC 8017 §7.1).
  ///
  /// - Throws: `authenticationFailed` for any ciphertext that does not decrypt; `invalidInput` if
  ///   this is not an RSA key.
  package func decryptOAEP(_ ciphertext: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    guard case .rsa(let bits) = kind else { throw .invalidInput }
    guard ciphertext.count == (bits + 7) / 8 else { throw .authenticationFailed }
    let context = try unsafe Owned(
      EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), EVP_PKEY_CTX_free)
    try unsafe check(EVP_PKEY_decrypt_init(context.pointer))
    try unsafe useOAEP(context.pointer)
    var padded = try SecretBuffer.make(ciphertext.count)
    var out = padded.mutableBytes
    var size = ciphertext.count
    let result = unsafe EVP_PKEY_decrypt(
      context.pointer, out.mutableStart, &size, ciphertext.start, ciphertext.count)
    try check(result, or: .authenticationFailed)
    return try SecretBuffer.make(copying: padded.bytes.extracting(0..<size))
  }
}

extension PublicKey {
  /// RSAES-OAEP with SHA-256, MGF1 with SHA-256 and the empty label.
  ///
  /// - Parameter plaintext: at least 66 bytes shorter than the modulus.
  package func encryptOAEP(_ plaintext: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    guard case .rsa(let bits) = kind, plaintext.count <= (bits + 7) / 8 - 66 else {
      throw .invalidInput
    }
    let context = try unsafe Owned(
      EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), EVP_PKEY_CTX_free)
    try unsafe check(EVP_PKEY_encrypt_init(context.pointer))
    try unsafe useOAEP(context.pointer)
    var size = (bits + 7) / 8
    var ciphertext = [UInt8](repeating: 0, count: size)
    try unsafe check(
      EVP_PKEY_encrypt(context.pointer, &ciphertext, &size, plaintext.start, plaintext.count))
    return ciphertext
  }
}

/// Names both hashes, because MGF1's does not follow the other in every version of OpenSSL, and its
/// default is SHA-1.
@unsafe private func useOAEP(_ context: OpaquePointer) throws(CryptoError) {
  try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING))
  try unsafe check(EVP_PKEY_CTX_set_rsa_oaep_md_name(context, "SHA2-256", nil))
  try unsafe check(EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, "SHA2-256", nil))
}

/// EVP_PKEY_KEY_PARAMETERS and related macros, which Swift cannot import.
enum Selection {
  static let parameters = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS
  static let publicKey = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
  static let keyPair = publicKey | OSSL_KEYMGMT_SELECT_PRIVATE_KEY
}

extension PrivateKey {
  /// Parses a PKCS #8 PrivateKeyInfo or OneAsymmetricKey (RFC 5958) in DER.
  ///
  /// - Throws: `invalidKey` for an unsupported kind, curve or size, explicit curve parameters, or
  ///   parts that do not match.
  package convenience init(pkcs8DER der: Span<UInt8>) throws(CryptoError) {
    do throws(CryptoError) {
      var fields = try DERReader(sequence: der)
      let version = try fields.readSmall()
      guard version <= 1 else { throw .invalidKey }
      var algorithm = try fields.enter()
      let oid = try algorithm.read(.oid)
      let contents = try fields.read(.octetString)
      if oid.elementsEqual(OID.ecPublicKey.contents) {
        let named = Curve(oid: try algorithm.read(.oid))
        try algorithm.finish()
        guard let named else { throw .invalidKey }
        try self.init(ecPrivateKeyDER: contents, curve: named)
      } else if oid.elementsEqual(OID.rsaEncryption.contents) {
        guard try algorithm.read(.null).count == 0 else { throw .invalidKey }
        try algorithm.finish()
        try self.init(rsaPrivateKeyDER: contents)
      } else if oid.elementsEqual(OID.ed25519.contents) {
        try algorithm.finish()
        var inner = DERReader(contents)
        let seed = try inner.read(.octetString)
        try inner.finish()
        try self.init(ed25519Seed: seed)
      } else {
        throw .invalidKey
      }
      // Attributes do not affect the key.
      if fields.nextTag == .context(0) { _ = try fields.read(.context(0)) }
      // Version 2, encoded as 1, has a public key (RFC 5958 §2).
      if version == 1 {
        let bits = try fields.read(.primitive(1))
        // The BIT STRING's contents are also the end of every SubjectPublicKeyInfo.
        guard bits.count > 1, spki.suffix(bits.count).elementsEqual(bits.array) else {
          throw .invalidKey
        }
      }
      try fields.finish()
    } catch { throw error.asKeyError }
  }
}

extension OID {
  static let ecPublicKey = OID("1.2.840.10045.2.1")
  static let rsaEncryption = OID("1.2.840.113549.1.1.1")
  static let ed25519 = OID("1.3.101.112")
}
