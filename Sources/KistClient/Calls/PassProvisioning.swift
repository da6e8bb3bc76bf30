import Format

/// A card for Apple Wallet, and the values for it from Apple's app.
public struct PassRequest: Sendable {
  /// How the card is identified to Apple: the columns of table 9-1 of Apple's guide.
  public enum Card: Sendable {
    /// By its number; `expiration` is MM/YY.
    case accountNumber(Account, name: String, expiration: String)
    /// By the network's identifier. A number that the caller does not hold, and that is in the
    /// activation data alone, may stand beside it.
    case accountIdentifier(String, activatedBy: Account? = nil)
    /// By its number, encrypted for the network; without a name if Apple or the network waived it.
    case encrypted(EncryptedAccount, name: String?, prefix: String, networkName: String)
  }

  /// A card's number.
  public enum Account: Sendable {
    case digits(String)
    /// Sealed by the daemon; the context is the associated data of the sealing.
    case envelope([UInt8], context: [UInt8] = [])
    /// By its surrogate for a merchant; the key, 16 bytes, made it.
    case surrogate(String, key: [UInt8], merchant: String)
  }

  /// A card's number that only the network can read.
  public enum EncryptedAccount: Sendable {
    /// In the network's own form: for Visa, base64 of an MBPAD string.
    case text(String)
    /// To be encrypted by the daemon under the Visa key that the call names; `expiration` is MM/YY.
    case visa(Account, expiration: String)
    /// To be encrypted by the daemon for the network's key, 16 bytes, as a JWE.
    case network(Account, expiration: String, key: [UInt8])
  }

  /// What activates the pass.
  public enum Activation: Sendable {
    case none
    /// Another network's value, which is passed on unchanged.
    case opaque([UInt8])
    case visa(VisaOTP)
    case mastercard(MastercardOTP)
  }

  /// DER, in any order, with or without the root.
  public var certificates: [[UInt8]]
  /// The bytes that Apple gave, not their hexadecimal form.
  public var nonce, nonceSignature: [UInt8]
  public var card: Card
  public var productType: String?
  public var activation: Activation
  /// Apple's name of the scheme; the daemon refuses all but `EV_ECC_v2`.
  public var scheme: Scheme

  public enum Scheme: String, Sendable {
    case evECCV2 = "EV_ECC_v2"
    case evRSAV2 = "EV_RSA_v2"
  }

  public init(
    certificates: [[UInt8]], nonce: [UInt8], nonceSignature: [UInt8], card: Card,
    productType: String? = nil, activation: Activation = .none,
    scheme: Scheme = .evECCV2
  ) {
    self.certificates = certificates
    self.nonce = nonce
    self.nonceSignature = nonceSignature
    self.card = card
    self.productType = productType
    self.activation = activation
    self.scheme = scheme
  }
}

/// What the app passes to PassKit.
public struct ProvisionedPass: Hashable, Sendable {
  /// Ciphertext and 16-byte tag.
  public let encryptedPassData: [UInt8]
  /// 65 bytes.
  public let ephemeralPublicKey: [UInt8]
  public let activationData: [UInt8]
  public let auditSequence: UInt64?
}

extension Client {
  /// Seals a card for Apple Wallet and makes the value that activates it.
  ///
  /// - Parameter key: 16 bytes, the key of the network's one-time value; nil if there is none.
  public func provisionPass(_ request: PassRequest, key: [UInt8]? = nil) throws(ClientError)
    -> ProvisionedPass
  {
    try provisionPass(request, account: Span(), key: key)
  }

  /// The same with the card's number from secret memory.
  package func provisionPass(_ request: PassRequest, account: Span<UInt8>, key: [UInt8]?)
    throws(ClientError) -> ProvisionedPass
  {
    let reply = try PassForm(request).withRequest(account: account) {
      (request) throws(ClientError) in
      try call(.provisionPass, key: key, request)
    }
    let pass = try ProvisionPassReply(reply)
    return ProvisionedPass(
      encryptedPassData: pass.encryptedPassData.array,
      ephemeralPublicKey: pass.ephemeralPublicKey.array,
      activationData: pass.activationData.array, auditSequence: reply.auditSequence)
  }

  /// Every value of one encryption, by the names of Apple's `encryptionlog.txt`; only a rehearsal
  /// answers.
  ///
  /// - Parameters:
  ///   - recipient: Apple's static key, 65 bytes.
  ///   - ephemeralPrivateKey: 32 bytes.
  public func provisionTrace(recipient: [UInt8], ephemeralPrivateKey: [UInt8], passData: [UInt8])
    throws(ClientError) -> ProvisioningTrace
  {
    var request = ProvisionTraceRequest()
    request.recipient = recipient.span
    request.ephemeralPrivateKey = ephemeralPrivateKey.span
    request.passData = passData.span
    let reply = try call(.provisionTrace, request)
    let trace = try ProvisionTraceReply(reply)
    return ProvisioningTrace(
      publicKeyHash: trace.publicKeyHash.array,
      ephemeralPublicKey: trace.ephemeralPublicKey.array, sharedSecret: trace.sharedSecret.array,
      otherInfo: trace.otherInfo.array, sharedKey: trace.sharedKey.array,
      encryptedPassData: trace.encryptedPassData.array)
  }
}

/// The values between a test ephemeral key and the encrypted pass; none of them is a secret of a
/// real card.
public struct ProvisioningTrace: Hashable, Sendable {
  public let publicKeyHash, ephemeralPublicKey, sharedSecret, otherInfo, sharedKey,
    encryptedPassData: [UInt8]
}

/// A request's fields in wire form.
struct PassForm {
  private let pass: PassRequest
  private var configuration: PassConfiguration
  private var encryptedAccount = "", name = "", networkName = "", prefix = "", identifier = "",
    expiration = "", digits = ""
  private var form = AccountForm()
  private var networkKey: [UInt8] = []

  init(_ pass: PassRequest) {
    self.pass = pass
    switch pass.card {
    case .accountNumber(let account, let name, let expiration):
      configuration = .accountNumber
      self.name = name
      self.expiration = expiration
      set(account)
    case .accountIdentifier(let identifier, let account):
      configuration = .accountIdentifier
      self.identifier = identifier
      if let account { set(account) }
    case .encrypted(let account, let name, let prefix, let networkName):
      configuration = name == nil ? .encryptedAccountNumberUnnamed : .encryptedAccountNumber
      self.name = name ?? ""
      self.prefix = prefix
      self.networkName = networkName
      switch account {
      case .text(let text): encryptedAccount = text
      case .visa(let account, let expiration):
        self.expiration = expiration
        set(account)
      case .network(let account, let expiration, let key):
        self.expiration = expiration
        networkKey = key
        set(account)
      }
    }
  }

  private mutating func set(_ account: PassRequest.Account) {
    if case .digits(let digits) = account { self.digits = digits }
    form = AccountForm(account)
  }

  /// - Parameter account: replaces the card's number, unless it is empty.
  func withRequest(
    account: Span<UInt8>, _ body: (ProvisionPassRequest) throws(ClientError) -> Reply
  ) throws(ClientError) -> Reply {
    switch pass.activation {
    case .none: try withRequest(account, NetworkInputs(), Span(), body)
    case .opaque(let data): try withRequest(account, NetworkInputs(), data.span, body)
    case .visa(let otp):
      try otp.withInputs { (inputs) throws(ClientError) in
        try withRequest(account, inputs, Span(), body)
      }
    case .mastercard(let otp):
      try otp.withInputs { (inputs) throws(ClientError) in
        try withRequest(account, inputs, Span(), body)
      }
    }
  }

  private func withRequest(
    _ account: Span<UInt8>, _ inputs: NetworkInputs, _ activationData: Span<UInt8>,
    _ body: (ProvisionPassRequest) throws(ClientError) -> Reply
  ) throws(ClientError) -> Reply {
    var request = ProvisionPassRequest()
    request.scheme =
      switch pass.scheme {
      case .evECCV2: .evECCV2
      case .evRSAV2: .evRSAV2
      }
    request.certificates = pass.certificates
    request.configuration = configuration
    request.nonce = pass.nonce.span
    request.nonceSignature = pass.nonceSignature.span
    request.encryptedPrimaryAccountNumber = encryptedAccount.utf8.span
    request.expiration = expiration.utf8.span
    request.name = name.utf8.span
    request.networkName = networkName.utf8.span
    request.primaryAccountIdentifier = identifier.utf8.span
    request.primaryAccountNumber = digits.utf8.span
    if !account.isEmpty { request.primaryAccountNumber = account }
    request.primaryAccountNumberPrefix = prefix.utf8.span
    request.productType = (pass.productType ?? "").utf8.span
    request.accountEnvelope = form.envelope.span
    request.envelopeContext = form.context.span
    request.accountSurrogate = form.accountSurrogate
    request.networkKey = networkKey.span
    request.visa = inputs.visa
    request.mastercard = inputs.mastercard
    request.activationData = activationData
    return try body(request)
  }
}

/// A number that the caller does not hold, in wire form.
struct AccountForm {
  private(set) var envelope: [UInt8] = [], context: [UInt8] = []
  private var surrogate: [UInt8] = [], key: [UInt8] = [], merchant = ""

  init() {}

  init(_ account: PassRequest.Account) {
    switch account {
    case .digits: return
    case .envelope(let envelope, let context): (self.envelope, self.context) = (envelope, context)
    case .surrogate(let surrogate, let key, let merchant):
      (self.surrogate, self.key, self.merchant) = (Array(surrogate.utf8), key, merchant)
    }
  }

  var accountSurrogate: AccountSurrogate? {
    @_lifetime(borrow self)
    get {
      guard !surrogate.isEmpty else { return nil }
      var account = AccountSurrogate()
      account.surrogate = surrogate.span
      account.key = key.span
      account.merchantIdentifier = merchant
      return account
    }
  }
}
