internal import Crypto
internal import Format
internal import Host
internal import KistClient

/// The key that encrypts payment data, and the value from which the merchant derives it.
struct ContentKey: ~Copyable {
  /// 32 bytes for EC_v1, 16 for RSA_v1.
  let key: SecretBuffer
  let source: ApplePayTokenJSON.KeySource

  /// - Throws: `CryptoError.invalidInput` unless the recipient's key is P-256 or RSA.
  init(for recipient: PublicKey, merchant: Digest256) throws(CryptoError) {
    switch recipient.kind {
    case .p256: try self.init(agreedWith: recipient, merchant)
    case .rsa: try self.init(wrapping: Random.secret(count: 16), for: recipient)
    case .p384, .ed25519: throw .invalidInput
    }
  }

  var version: ApplePayTokenVersion {
    switch source {
    case .ephemeralPublicKey: .ecV1
    case .wrappedKey: .rsaV1
    }
  }

  var sourceBytes: [UInt8] {
    switch source {
    case .ephemeralPublicKey(let bytes), .wrappedKey(let bytes): bytes
    }
  }

  private init(agreedWith recipient: PublicKey, _ merchant: Digest256) throws(CryptoError) {
    guard let point = recipient.point else { throw .invalidInput }
    let ephemeral = try PrivateKey.generate(.p256)
    let z = try ephemeral.agree(with: point.span)
    key = try OneStepKDF.sha256(z: z.bytes, otherInfo: Self.otherInfo(merchant).span)
    source = .ephemeralPublicKey(ephemeral.spki)
  }

  private init(wrapping random: consuming SecretBuffer, for recipient: PublicKey) throws(CryptoError) {
    source = .wrappedKey(try recipient.encryptOAEP(random.bytes))
    key = random
  }

  /// SP 800-56A r1 §5.8.1.2: AlgorithmID with its length byte, PartyU, and PartyV as the merchant identifier's hash.
  private static func otherInfo(_ merchant: Digest256) -> [UInt8] {
    [0x0D] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8) + merchant.bytes
  }
}
