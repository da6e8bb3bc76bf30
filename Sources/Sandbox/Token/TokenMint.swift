package import Crypto
package import Format
import Host
package import KistClient

/// Makes payment tokens as Apple does, under a test PKI.
///
/// It shares no code with the opening of tokens, so that neither hides a mistake of the other.
package struct TokenMint: Sendable {
  private let pki: TestApplePKI

  package init(_ pki: TestApplePKI) { self.pki = pki }

  /// An age in seconds beyond every freshness window; the widest is a day.
  package static let staleAge: Int64 = 2 * 86_400

  /// A fresh token with a transaction identifier of its own.
  ///
  /// - Parameters:
  ///   - merchant: a processing certificate; a P-256 key makes an EC_v1 token, RSA an RSA_v1 token.
  ///   - moment: when Apple signs it.
  /// - Throws: `CryptoError.invalidInput` for a key of another kind; `.invalidCertificate` if the
  ///   certificate names no merchant.
  package func mint(
    _ payment: TestPayment, for merchant: Certificate, signedAt moment: Timestamp,
    defect: TokenDefect? = nil
  ) throws(CryptoError) -> MintedToken {
    let recipient =
      defect == .wrongKey
      ? try PrivateKey.generate(merchant.publicKey.kind).publicKey : merchant.publicKey
    let content = try ContentKey(for: recipient, merchant: merchant.merchantIdentifierHash())
    let iv = [UInt8](repeating: 0, count: 16)
    var data = try AESGCM.seal(
      key: content.key.bytes, iv: iv.span, plaintext: payment.plaintext.span)
    if defect == .badTag { data[data.count - 1] ^= 1 }

    let transactionID = try Random.bytes(32)
    let applicationData = payment.applicationData?.bytes ?? []
    let signer =
      defect == .noLeafMarker
      ? try pki.unmarkedLeaf(for: content.version) : pki.leaf(for: content.version)
    let signature = try TokenSignature.make(
      over: content.sourceBytes + data + transactionID + applicationData, by: signer,
      under: pki.intermediate.certificate, at: moment,
      isDamaged: defect == .badSignature)
    return MintedToken(
      keySource: content.source, data: data, signature: signature,
      publicKeyHash: SHA256.hash(merchant.spki).bytes,
      transactionID: transactionID, applicationData: applicationData)
  }
}

/// What an opened token says about the payment; test data, so nothing here is secret.
package struct TestPayment: Sendable {
  /// 12 to 19 digits.
  package var pan = "4109370251004320"
  /// YYMMDD.
  package var expiry = "491231"
  /// ISO 4217 numeric.
  package var currency = "840"
  /// Minor units, at most `maximumAmount`.
  package var amount: Int64 = 1499
  /// Base64.
  package var cryptogram = "Af9x/QwAA/DjmU65oyc1MAABAAA="
  package var eci: String? = "5"
  package var cardholderName: String?
  /// 12 hexadecimal digits.
  package var deviceManufacturer = "040010030273"
  /// SHA-256 of the request's application data, which stays outside the encryption.
  package var applicationData: Digest256?

  package init() {}

  /// Twelve digits, as in ISO 8583.
  package static let maximumAmount: Int64 = 999_999_999_999

  /// The JSON that Apple encrypts.
  package var plaintext: [UInt8] {
    let payment: CanonicalJSON = [
      "applicationExpirationDate": expiry, "applicationPrimaryAccountNumber": pan,
      "cardholderName": cardholderName, "currencyCode": currency,
      "deviceManufacturerIdentifier": deviceManufacturer,
      "paymentData": ["eciIndicator": eci, "onlinePaymentCryptogram": cryptogram] as CanonicalJSON,
      "paymentDataType": "3DSecure", "transactionAmount": amount,
    ]
    return payment.serialised
  }
}

/// A deliberate defect of a token that is otherwise right, so that it fails at exactly one check.
package enum TokenDefect: String, CaseIterable, Sendable {
  /// Encrypted for another key than the one it names.
  case wrongKey = "wrong-key"
  case badSignature = "bad-signature"
  /// The signer's certificate is not marked as Apple's.
  case noLeafMarker = "no-leaf-marker"
  /// Apple signed a tag that is not the ciphertext's.
  case badTag = "bad-tag"
}

/// A finished token, with Apple's names for its fields.
package struct MintedToken: Sendable {
  package let keySource: ApplePayTokenJSON.KeySource
  /// Ciphertext and 16-byte tag.
  package let data: [UInt8]
  /// CMS SignedData.
  package let signature: [UInt8]
  /// 32 bytes each; application data may be empty.
  package let publicKeyHash, transactionID, applicationData: [UInt8]

  package var version: ApplePayTokenVersion {
    switch keySource {
    case .ephemeralPublicKey: .ecV1
    case .wrappedKey: .rsaV1
    }
  }

  /// Apple's `paymentData`, one line.
  package var json: [UInt8] {
    let (ephemeral, wrapped): (String?, String?) =
      switch keySource {
      case .ephemeralPublicKey(let key): (Base64.encode(key), nil)
      case .wrappedKey(let key): (nil, Base64.encode(key))
      }
    let token: CanonicalJSON = [
      "data": Base64.encode(data),
      "header": [
        "applicationData": applicationData.isEmpty ? nil : Hex.encode(applicationData),
        "ephemeralPublicKey": ephemeral, "publicKeyHash": Base64.encode(publicKeyHash),
        "transactionId": Hex.encode(transactionID), "wrappedKey": wrapped,
      ] as CanonicalJSON,
      "signature": Base64.encode(signature), "version": version.name,
    ]
    return token.serialised
  }
}

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

  private init(wrapping random: consuming SecretBuffer, for recipient: PublicKey)
    throws(CryptoError)
  {
    source = .wrappedKey(try recipient.encryptOAEP(random.bytes))
    key = random
  }

  /// SP 800-56A r1 §5.8.1.2: AlgorithmID with its length byte, PartyU, and PartyV as the merchant
  /// identifier's hash.
  private static func otherInfo(_ merchant: Digest256) -> [UInt8] {
    [0x0D] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8) + merchant.bytes
  }
}
