internal import COpenSSL
internal import Format
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

  /// The full check for a key that comes in for the first time; for RSA it tests the primes, which takes some 40 ms.
  ///
  /// - Throws: `invalidKey`.
  package func validate() throws(CryptoError) {
    let context = try unsafe Owned(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), EVP_PKEY_CTX_free)
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
