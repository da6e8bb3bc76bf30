internal import Crypto
internal import Format
internal import Host
internal import KeyStore

/// A test operation with a new private key, as its role uses it; the public half checks the result.
///
/// A symmetric key has no public half: computing its check value, which is read back, is the test.
enum KeyTest {
  static func passes(_ material: borrowing KeyMaterial, _ role: KeyRole) throws(CryptoError) -> Bool {
    switch material {
    case .privateKey(let key): role.serves(.sign) || role.serves(.signOTP) ? try signs(key) : try opens(key)
    case .publicKey: true
    case .symmetric: true
    }
  }

  private static let message = Array("kist ceremony: test of a key".utf8)

  private static func signs(_ key: PrivateKey) throws(CryptoError) -> Bool {
    let signature = try key.sign(message.span)
    return key.publicKey.verify(signature: signature.span, message: message.span)
  }

  /// Does both sides of ECDH with a throw-away peer, or encrypts to the key and decrypts.
  private static func opens(_ key: PrivateKey) throws(CryptoError) -> Bool {
    switch key.kind {
    case .p256, .p384:
      let peer = try PrivateKey.generate(key.kind)
      guard let theirs = peer.publicKey.point, let ours = key.publicKey.point else { return false }
      let one = try key.agree(with: theirs.span)
      let other = try peer.agree(with: ours.span)
      return ConstantTime.equal(one.bytes, other.bytes)
    case .rsa:
      let sealed = try key.publicKey.encryptOAEP(message.span)
      let opened = try key.decryptOAEP(sealed.span)
      return ConstantTime.equal(opened.bytes, message.span)
    case .ed25519: return try signs(key)
    }
  }
}
