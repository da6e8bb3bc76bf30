import Format

/// The values of the merchant's own request, for the daemon to compare with the token's.
public struct PaymentExpectation: Hashable, Sendable {
  /// ISO 4217 numeric, such as `840`.
  public var currency: String?
  /// Minor units.
  public var amount: UInt64?
  /// SHA-256 of the request's application data, 32 bytes.
  public var applicationData: [UInt8]?

  public init(currency: String? = nil, amount: UInt64? = nil, applicationData: [UInt8]? = nil) {
    self.currency = currency
    self.amount = amount
    self.applicationData = applicationData
  }
}

extension Client {
  /// Verifies a token as Apple requires, and opens it.
  ///
  /// - Parameters:
  ///   - fields: the wanted fields among those that policy allows; empty asks for all of these.
  ///   - required: without any of these it is not opened, and can be opened later; the refusal
  ///     names the field.
  ///   - key: 16 bytes; nil for the key that the token names.
  ///   - retryKey: lets the same user make the very same call again after a lost reply, for as long
  ///     as the merchant's `retry_window`.
  ///   - sendsAgain: whether this call itself sends such a request once more, on a new connection
  ///     and with a new time-out. If the daemon then cannot be reached, is locked, or serves
  ///     nobody, the error is the first one's: it may have been carried out.
  public func openPaymentToken(
    _ token: PaymentToken, fields: [PaymentField] = [], required: [PaymentField] = [],
    expecting expectation: PaymentExpectation = PaymentExpectation(), withKey key: [UInt8]? = nil,
    retryKey: RetryKey? = nil, sendsAgain: Bool = true
  ) throws(ClientError) -> OpenedToken {
    try asking(again: retryKey != nil && sendsAgain) { () throws(ClientError) in
      try openOnce(
        token, fields: fields, required: required, expecting: expectation, withKey: key, retryKey)
    }
  }

  private func openOnce(
    _ token: PaymentToken, fields: [PaymentField], required: [PaymentField],
    expecting expectation: PaymentExpectation, withKey key: [UInt8]?,
    _ retryKey: RetryKey?
  ) throws(ClientError) -> OpenedToken {
    let key = key ?? Array(token.publicKeyHash.prefix(KeyID.byteCount))
    let applicationData = expectation.applicationData ?? []
    let retryKey = retryKey?.bytes ?? []
    return try token.withMessage { (message) throws(ClientError) in
      var request = OpenPaymentTokenRequest()
      request.token = message
      request.release = ReleasedFields(fields.map(\.wire))
      request.expectedAmount = expectation.amount
      request.expectedCurrency = (expectation.currency ?? "").utf8.span
      request.expectedApplicationData = applicationData.span
      request.required = ReleasedFields(required.map(\.wire))
      request.retryKey = retryKey.span
      return try OpenedToken(try call(.openPaymentToken, key: key, request))
    }
  }

  /// Verifies a token as Apple requires, without opening it.
  ///
  /// Apple signs key, data, transaction id and application data as one text, without their lengths:
  /// do not count or compare by the transaction id of a token that was only verified [OP-VERIFY-1].
  /// Opening it proves that, too.
  ///
  /// - Returns: when Apple signed it, in seconds since 1970.
  public func verifyPaymentToken(_ token: PaymentToken, applicationData: [UInt8] = [])
    throws(ClientError) -> Int64
  {
    try token.withMessage { (message) throws(ClientError) in
      var request = VerifyPaymentTokenRequest()
      request.token = message
      request.expectedApplicationData = applicationData.span
      let reply = try call(.verifyPaymentToken, request)
      return Int64(clamping: try VerifyPaymentTokenReply(reply).signingTime)
    }
  }
}

/// Names one opening of a token, so that the very same call can be made again after a lost reply
/// [OP-OPEN-11]; used for no other.
public struct RetryKey: Hashable, Sendable {
  /// 16 bytes.
  public let bytes: [UInt8]

  /// A new one, at random.
  public init() {
    var generator = SystemRandomNumberGenerator()
    bytes = (0..<OpenPaymentTokenRequest.Caps.retryKey).map { _ in
      UInt8.random(in: .min ... .max, using: &generator)
    }
  }

  /// Nil unless there are 16 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == OpenPaymentTokenRequest.Caps.retryKey else { return nil }
    self.bytes = bytes
  }
}

extension RetryKey: CustomStringConvertible {
  /// 32 hexadecimal digits.
  public var description: String { Hex.encode(bytes) }
}

extension Client {
  /// Asks; if the reply is lost, once more, on a new connection and with a new time-out.
  func asking(again: Bool, _ ask: () throws(ClientError) -> OpenedToken) throws(ClientError)
    -> OpenedToken
  {
    do throws(ClientError) { return try ask() } catch let lost {
      guard again, lost.isLostReply else { throw lost }
      do throws(ClientError) {
        try reconnect()
        return try ask()
      } catch let error {
        // The first may have been carried out, which what could meet any request would deny.
        throw error.isAboutDaemon ? lost : error
      }
    }
  }
}
