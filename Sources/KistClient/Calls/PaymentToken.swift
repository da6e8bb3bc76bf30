import Format

/// An Apple Pay payment token, unpacked and not yet verified.
public struct PaymentToken: Hashable, Sendable {
  /// Why text is not a payment token.
  public enum Unpacking: Error, Hashable {
    /// Neither acceptable JSON (UTF-8, without repeated names, of at most a token's size) nor
    /// base64 of it.
    case notJSON
    /// A member is missing, empty, of another type, or not base64 or hex.
    case notToken
    /// Neither `EC_v1` nor `RSA_v1`.
    case unknownVersion
    /// A token from Apple's simulator: its fields are empty and nothing can open it.
    case simulator
  }

  /// The key from which the content key is derived.
  public enum KeySource: Hashable, Sendable {
    /// EC_v1: a 91-byte SubjectPublicKeyInfo.
    case ephemeralPublicKey([UInt8])
    /// RSA_v1: as long as the modulus.
    case wrappedKey([UInt8])
  }

  public let keySource: KeySource
  /// Ciphertext and 16-byte tag.
  public let data: [UInt8]
  /// CMS SignedData.
  public let signature: [UInt8]
  /// 32 bytes; names the merchant's key.
  public let publicKeyHash: [UInt8]
  /// 32 bytes.
  public let transactionID: [UInt8]
  /// 32 bytes, or empty.
  public let applicationData: [UInt8]

  public init(
    keySource: KeySource, data: [UInt8], signature: [UInt8], publicKeyHash: [UInt8],
    transactionID: [UInt8],
    applicationData: [UInt8] = []
  ) {
    self.keySource = keySource
    self.data = data
    self.signature = signature
    self.publicKeyHash = publicKeyHash
    self.transactionID = transactionID
    self.applicationData = applicationData
  }

  /// Unpacks Apple's JSON: `paymentData`, a payment or token of Apple Pay JS around it, or base64
  /// of any of these.
  public init(appleJSON text: [UInt8]) throws(Unpacking) {
    let json: ApplePayTokenJSON
    do throws(ApplePayTokenJSONError) { json = try ApplePayTokenJSON(text.span) } catch {
      switch error {
      case .notJSON, .byteOrderMark, .utf16, .duplicate, .limits: throw .notJSON
      case .notToken, .missing, .malformed, .empty: throw .notToken
      case .unknownVersion: throw .unknownVersion
      case .simulator: throw .simulator
      }
    }
    keySource =
      switch json.keySource {
      case .ephemeralPublicKey(let key): .ephemeralPublicKey(key)
      case .wrappedKey(let key): .wrappedKey(key)
      }
    data = json.data
    signature = json.signature
    publicKeyHash = json.publicKeyHash
    transactionID = json.transactionID
    applicationData = json.applicationData
  }

  func withMessage<R: ~Copyable>(_ body: (PaymentTokenMessage) throws(ClientError) -> R)
    throws(ClientError) -> R
  {
    let (version, ephemeral, wrapped): (ApplePayTokenVersion, [UInt8], [UInt8]) =
      switch keySource {
      case .ephemeralPublicKey(let key): (.ecV1, key, [])
      case .wrappedKey(let key): (.rsaV1, [], key)
      }
    var message = PaymentTokenMessage()
    message.version = version
    message.data = data.span
    message.signature = signature.span
    message.ephemeralPublicKey = ephemeral.span
    message.wrappedKey = wrapped.span
    message.publicKeyHash = publicKeyHash.span
    message.transactionID = transactionID.span
    message.applicationData = applicationData.span
    return try body(message)
  }
}
