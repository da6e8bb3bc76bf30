import Format

/// The input of a value for Visa Token Service; in a pass, fields that the pass has, too, may be
/// left out.
public struct VisaOTP: Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// Activation data: nonce and authentication code.
    case mbpac = "MBPAC"
    /// Authentication data: card number and expiry.
    case mbpad = "MBPAD"
    /// The newer names of the two.
    case mpac = "MPAC"
    case mpad = "MPAD"
  }

  public var kind: Kind
  public var nonce: [UInt8]
  public var authenticationCode, accountNumber: String
  /// MMYY.
  public var expiry: String

  public init(
    _ kind: Kind, nonce: [UInt8] = [], authenticationCode: String = "", accountNumber: String = "",
    expiry: String = ""
  ) {
    self.kind = kind
    self.nonce = nonce
    self.authenticationCode = authenticationCode
    self.accountNumber = accountNumber
    self.expiry = expiry
  }

  /// - Parameter secret: replaces the number or the code, unless it is empty.
  func withInputs<R: ~Copyable>(
    secret: Span<UInt8> = Span(), _ body: (NetworkInputs) throws(ClientError) -> R
  ) throws(ClientError) -> R {
    var input = VisaInput()
    input.type =
      switch kind {
      case .mbpac: .mbpac
      case .mbpad: .mbpad
      case .mpac: .mpac
      case .mpad: .mpad
      }
    input.nonce = nonce.span
    input.authenticationCode = authenticationCode.utf8.span
    input.accountNumber = accountNumber.utf8.span
    input.expiry = expiry.utf8.span
    if !secret.isEmpty {
      switch kind {
      case .mbpad, .mpad: input.accountNumber = secret
      case .mbpac, .mpac: input.authenticationCode = secret
      }
    }
    var inputs = NetworkInputs()
    inputs.visa = input
    return try body(inputs)
  }
}

/// The input of a tokenization authentication value of Mastercard; in a pass, fields that the pass
/// has, too, may be left out.
public struct MastercardOTP: Sendable {
  /// 2, 3 or 4.
  public var version: Int
  public var accountNumber: String
  /// MMYY.
  public var expiry: String
  /// Version 2.
  public var tokenReference: String
  /// Versions 3 and 4: seconds since 1970, at most 30 days ahead; nil for half an hour from now.
  public var validUntil: Int64?

  public init(
    version: Int = 3, accountNumber: String = "", expiry: String = "", tokenReference: String = "",
    validUntil: Int64? = nil
  ) {
    self.version = version
    self.accountNumber = accountNumber
    self.expiry = expiry
    self.tokenReference = tokenReference
    self.validUntil = validUntil
  }

  /// - Parameter secret: replaces the number, unless it is empty.
  func withInputs<R: ~Copyable>(
    secret: Span<UInt8> = Span(), _ body: (NetworkInputs) throws(ClientError) -> R
  ) throws(ClientError) -> R {
    var input = MastercardInput()
    input.version = version
    input.validUntil = UInt64(clamping: validUntil ?? 0)
    input.accountNumber = accountNumber.utf8.span
    input.expiry = expiry.utf8.span
    input.tokenReference = tokenReference.utf8.span
    if !secret.isEmpty { input.accountNumber = secret }
    var inputs = NetworkInputs()
    inputs.mastercard = input
    return try body(inputs)
  }
}

/// A one-time value, in locked memory for the life of this value.
public struct OneTimeValue: ~Copyable {
  private let reply: Reply
  /// The counter or time step of a person's code.
  public let counter: UInt64?
  public var auditSequence: UInt64? { reply.auditSequence }

  init(_ reply: consuming Reply) throws(ClientError) {
    counter = try SignOTPReply(reply).counter
    self.reply = reply
  }

  /// Reads the value in place: UTF-8 text.
  public borrowing func withValue<R>(_ body: (Span<UInt8>) -> R) -> R {
    guard let read = try? SignOTPReply(reply) else { return body(Span()) }
    return body(read.otp)
  }
}

/// What a person's authenticator makes its codes from, in locked memory for the life of this value.
public struct EnrolledAuthenticator: ~Copyable {
  private let reply: Reply
  /// The subject's first authenticator is 1.
  public let number: UInt32
  /// Of a code: 6 to 8.
  public let digits: Int
  /// `SHA1`, `SHA256` or `SHA512`.
  public let algorithm: String
  /// The length of a time step in seconds; nil for counted codes.
  public let step: Int?
  public var auditSequence: UInt64? { reply.auditSequence }

  init(_ reply: consuming Reply) throws(ClientError) {
    let otp: OTPParameters
    do {
      let answer = try EnrolAuthenticatorReply(reply)
      number = answer.number
      otp = answer.otp
    }
    digits = Int(otp.digits)
    step = otp.step == 0 ? nil : Int(otp.step)
    algorithm =
      switch otp.hash {
      case .sha1, nil: "SHA1"
      case .sha256: "SHA256"
      case .sha512: "SHA512"
      }
    self.reply = reply
  }

  /// Reads the secret in place: 20, 32 or 64 bytes.
  public borrowing func withSecret<R>(_ body: (Span<UInt8>) -> R) -> R {
    guard let read = try? EnrolAuthenticatorReply(reply) else { return body(Span()) }
    return body(read.secret)
  }
}

extension Client {
  /// A value for Visa Token Service.
  ///
  /// - Parameter key: 16 bytes.
  public func signOTP(_ visa: VisaOTP, key: [UInt8]) throws(ClientError) -> OneTimeValue {
    try signOTP(visa, secret: Span(), key: key)
  }

  /// The same with number or code from secret memory.
  package func signOTP(_ visa: VisaOTP, secret: Span<UInt8>, key: [UInt8]) throws(ClientError)
    -> OneTimeValue
  {
    try visa.withInputs(secret: secret) { (inputs) throws(ClientError) in
      try signOTP(inputs, AccountForm(), key)
    }
  }

  /// A tokenization authentication value of Mastercard.
  public func signOTP(_ mastercard: MastercardOTP, key: [UInt8]) throws(ClientError) -> OneTimeValue
  {
    try signOTP(mastercard, secret: Span(), key: key)
  }

  /// The same with the number from secret memory.
  package func signOTP(_ mastercard: MastercardOTP, secret: Span<UInt8>, key: [UInt8])
    throws(ClientError) -> OneTimeValue
  {
    try mastercard.withInputs(secret: secret) { (inputs) throws(ClientError) in
      try signOTP(inputs, AccountForm(), key)
    }
  }

  /// A value for Visa Token Service of a number that the caller does not hold: MBPAD or MPAD, and
  /// without a number in it.
  ///
  /// - Parameter key: 16 bytes.
  public func signOTP(_ visa: VisaOTP, of account: PassRequest.Account, key: [UInt8])
    throws(ClientError) -> OneTimeValue
  {
    try visa.withInputs { (inputs) throws(ClientError) in
      try signOTP(inputs, AccountForm(account), key)
    }
  }

  /// The same of Mastercard, which tells the number: it needs a grant that releases `dpan`.
  public func signOTP(_ mastercard: MastercardOTP, of account: PassRequest.Account, key: [UInt8])
    throws(ClientError) -> OneTimeValue
  {
    try mastercard.withInputs { (inputs) throws(ClientError) in
      try signOTP(inputs, AccountForm(account), key)
    }
  }

  /// A code for a person.
  ///
  /// - Parameters:
  ///   - subject: the person for whom the code is, up to 128 bytes; empty for the key's own codes.
  ///   - counter: the counter of a counted code; nil for the next one.
  public func signOTP(subject: String, counter: UInt64? = nil, key: [UInt8]) throws(ClientError)
    -> OneTimeValue
  {
    var request = SignOTPRequest()
    request.subject = subject.utf8.span
    request.counter = counter
    return try signOTP(request, key)
  }

  /// Checks a person's code; each code is accepted only once.
  ///
  /// - Returns: the counter or time step of the code.
  /// - Throws: `ClientError.refused`, with stage `otp-code` or `otp-locked` if the grant shows
  ///   stages.
  public func verifyOTP(_ code: Span<UInt8>, subject: String, key: [UInt8]) throws(ClientError)
    -> UInt64
  {
    var request = VerifyOTPRequest()
    request.subject = subject.utf8.span
    request.code = code
    let reply = try call(.verifyOTP, key: key, request)
    return try VerifyOTPReply(reply).counter
  }

  /// A new secret for a person's authenticator; the codes of the one before end.
  ///
  /// - Parameter retryKey: names this enrolment, so that the same call can be made again after a
  ///   lost reply, until its first code. [OP-OTP-12]
  public func enrolAuthenticator(subject: String, retryKey: RetryKey, key: [UInt8])
    throws(ClientError) -> EnrolledAuthenticator
  {
    var request = EnrolAuthenticatorRequest()
    request.subject = subject.utf8.span
    request.retryKey = retryKey.bytes.span
    return try EnrolledAuthenticator(try call(.enrolAuthenticator, key: key, request))
  }

  /// Lets a person who was locked out try codes again; for operators.
  ///
  /// - Returns: how many wrong codes in a row were forgotten, and the sequence of the audit record.
  package func resetOTPLockout(subject: String, key: [UInt8]) throws(ClientError) -> (
    failures: Int, auditSequence: UInt64?
  ) {
    var request = ResetOTPLockoutRequest()
    request.subject = subject.utf8.span
    let reply = try call(.resetOTPLockout, key: key, request)
    return (Int(try ResetOTPLockoutReply(reply).failures), reply.auditSequence)
  }

  /// A network's value; digits of the caller's own belong in the inputs, and are not sent from
  /// `account`.
  private func signOTP(_ inputs: NetworkInputs, _ account: AccountForm, _ key: [UInt8])
    throws(ClientError) -> OneTimeValue
  {
    var request = SignOTPRequest()
    request.visa = inputs.visa
    request.mastercard = inputs.mastercard
    request.accountEnvelope = account.envelope.span
    request.envelopeContext = account.context.span
    request.accountSurrogate = account.accountSurrogate
    return try signOTP(request, key)
  }

  private func signOTP(_ request: SignOTPRequest, _ key: [UInt8]) throws(ClientError)
    -> OneTimeValue
  {
    try OneTimeValue(try call(.signOTP, key: key, request))
  }
}
