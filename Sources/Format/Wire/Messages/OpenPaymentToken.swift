/// `open-payment-token`: verify, open, release what policy allows.
package struct OpenPaymentTokenRequest: Message, ~Escapable {
  package var token: PaymentTokenMessage
  /// What the caller wants of what it may have; empty asks for all of it.
  package var release: ReleasedFields = []
  /// ISO 4217 numeric, or empty when the caller states none.
  package var expectedCurrency: Span<UInt8>
  /// Minor units.
  package var expectedAmount: UInt64?
  /// SHA-256 of the request's application data, or empty.
  package var expectedApplicationData: Span<UInt8>
  /// Without any of these the token is not to be opened.
  package var required: ReleasedFields = []
  /// 16 random bytes of the caller's, with which it can send the same request again after a lost
  /// reply; or empty. [OP-OPEN-11]
  package var retryKey: Span<UInt8>

  @_lifetime(immortal) package init() {
    token = PaymentTokenMessage()
    expectedCurrency = Span()
    expectedApplicationData = Span()
    retryKey = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.message(
      1, "token", "PaymentToken", &token, atMost: PaymentTokenMessage.Caps.message)
    try visitor.set(2, "release", "ReleasedField", &release, atMost: 64)
    try visitor.text(3, "expected_currency", &expectedCurrency, .atMost(3))
    try visitor.uint64(4, "expected_amount", &expectedAmount)
    try visitor.bytes(5, "expected_application_data", &expectedApplicationData, .absentOr(32))
    try visitor.set(6, "required", "ReleasedField", &required, atMost: 64)
    try visitor.bytes(7, "retry_key", &retryKey, .absentOr(Self.retryKeyCount))
  }

  /// The size of a retry key.
  package static let retryKeyCount = 16
}

/// The released fields of an opened token; a field that was not released, or that the token does
/// not have, is empty.
///
/// The daemon does not make one: it writes each field from where it is, by its number. What an
/// envelope holds is one, too, of the sealed fields and the signing time.
package struct OpenPaymentTokenReply: Message, ~Escapable {
  package var dpan, last4, bin, network, expiry, currency: Span<UInt8>
  /// Minor units; nil when not released.
  package var amount: UInt64?
  package var cryptogram, eci, paymentDataType, deviceManufacturer, emvData, encryptedPIN,
    cardholderName: Span<UInt8>
  /// JSON.
  package var authenticationResponses, merchantToken, raw: Span<UInt8>
  /// When Apple signed the token, in seconds since 1970.
  package var signingTime: UInt64 = 0
  package var surrogate, envelope: Span<UInt8>
  /// Compact serialisation (RFC 7516 §7.1), of everything that is released.
  package var jwe: Span<UInt8>

  package static let signingTimeNumber: UInt32 = 18

  @_lifetime(immortal) package init() {
    dpan = Span()
    last4 = Span()
    bin = Span()
    network = Span()
    expiry = Span()
    currency = Span()
    cryptogram = Span()
    eci = Span()
    paymentDataType = Span()
    deviceManufacturer = Span()
    emvData = Span()
    encryptedPIN = Span()
    cardholderName = Span()
    authenticationResponses = Span()
    merchantToken = Span()
    raw = Span()
    surrogate = Span()
    envelope = Span()
    jwe = Span()
  }

  @_lifetime(self: copy self, copy visitor)
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "dpan", &dpan, .any)
    try visitor.text(2, "last4", &last4, .any)
    try visitor.text(3, "bin", &bin, .any)
    try visitor.text(4, "network", &network, .any)
    try visitor.text(5, "expiry", &expiry, .any)
    try visitor.text(6, "currency", &currency, .any)
    try visitor.uint64(7, "amount", &amount)
    try visitor.text(8, "cryptogram", &cryptogram, .any)
    try visitor.text(9, "eci", &eci, .any)
    try visitor.text(10, "payment_data_type", &paymentDataType, .any)
    try visitor.text(11, "device_manufacturer", &deviceManufacturer, .any)
    try visitor.text(12, "emv_data", &emvData, .any)
    try visitor.text(13, "encrypted_pin", &encryptedPIN, .any)
    try visitor.text(14, "cardholder_name", &cardholderName, .any)
    try visitor.text(15, "authentication_responses", &authenticationResponses, .any)
    try visitor.text(16, "merchant_token", &merchantToken, .any)
    try visitor.bytes(17, "raw", &raw, .any)
    try visitor.uint64(Self.signingTimeNumber, "signing_time", &signingTime)
    try visitor.text(20, "surrogate", &surrogate, .any)
    try visitor.bytes(21, "envelope", &envelope, .any)
    try visitor.text(22, "jwe", &jwe, .any)
  }
}

extension OpenPaymentTokenReply {
  /// A field's bytes: text as UTF-8, objects as JSON; empty if it is absent, and for the amount,
  /// which is a number.
  package subscript(_ field: ReleasedField) -> Span<UInt8> {
    @_lifetime(copy self)
    get {
      switch field {
      case .dpan: dpan
      case .last4: last4
      case .bin: bin
      case .network: network
      case .expiry: expiry
      case .currency: currency
      case .amount: Span()
      case .cryptogram: cryptogram
      case .eci: eci
      case .paymentDataType: paymentDataType
      case .deviceManufacturer: deviceManufacturer
      case .emvData: emvData
      case .encryptedPIN: encryptedPIN
      case .cardholderName: cardholderName
      case .authenticationResponses: authenticationResponses
      case .merchantToken: merchantToken
      case .raw: raw
      case .surrogate: surrogate
      case .envelope: envelope
      case .jwe: jwe
      }
    }
  }

  /// The fields that are there.
  package var fields: ReleasedFields {
    var present: [ReleasedField] = []
    for field in ReleasedField.allCases
    where field == .amount ? amount != nil : !self[field].isEmpty { present.append(field) }
    return ReleasedFields(present)
  }
}
