import Format

/// A field of an opened token that policy may release.
public enum PaymentField: String, CaseIterable, Sendable {
  case dpan
  case last4
  case bin
  case network
  /// YYMMDD.
  case expiry
  /// ISO 4217 numeric.
  case currency
  /// Minor units, as decimal digits.
  case amount
  /// Base64 text.
  case cryptogram
  case eci
  case paymentDataType = "payment-data-type"
  case deviceManufacturer = "device-manufacturer"
  /// Base64 text.
  case emvData = "emv-data"
  case encryptedPIN = "encrypted-pin"
  case cardholderName = "cardholder-name"
  /// JSON.
  case authenticationResponses = "authentication-responses"
  /// JSON.
  case merchantToken = "merchant-token"
  /// The whole decrypted JSON.
  case raw
  /// As many digits as the PAN, with its last four, or in the merchant's own format.
  case surrogate
  /// Bytes: fields for another service, which
  /// `Client.openEnvelope(_:merchant:transactionID:withKey:)` opens.
  case envelope
  /// Everything that is released, where the grant releases to a partner: a JWE in compact
  /// serialisation. It is never asked for.
  case jwe

  var wire: ReleasedField {
    guard let field = ReleasedField(name: rawValue) else {
      preconditionFailure("a name the wire does not know")
    }
    return field
  }
}

/// The released fields of an opened token or envelope, in locked memory for the life of this value.
public struct OpenedToken: ~Copyable {
  private let reply: Reply
  /// When Apple signed the token, in seconds since 1970; zero for an envelope that was made of a
  /// PAN alone.
  public let signingTime: Int64
  /// The audit record of the opening.
  public var auditSequence: UInt64? { reply.auditSequence }
  /// The amount in minor units; nil when it was not released.
  public let amount: UInt64?

  init(_ reply: consuming Reply) throws(ClientError) {
    do {
      let fields = try OpenPaymentTokenReply(reply)
      signingTime = Int64(clamping: fields.signingTime)
      amount = fields.amount
    }
    self.reply = reply
  }

  /// Reads a field in place; it is empty when it was not released or the token has none.
  public borrowing func withField<R>(_ field: PaymentField, _ body: (Span<UInt8>) -> R) -> R {
    guard field != .amount else {
      let digits = Array(amount.map(String.init)?.utf8 ?? "".utf8)
      return body(digits.span)
    }
    guard let fields = try? OpenPaymentTokenReply(reply) else { return body(Span()) }
    return body(fields[field.wire])
  }
}
