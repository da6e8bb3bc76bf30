extension OpenPaymentTokenReply {
  /// A field's bytes: text as UTF-8, objects as JSON; empty if it is absent, and for the amount, which is a number.
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
    for field in ReleasedField.allCases where field == .amount ? amount != nil : !self[field].isEmpty { present.append(field) }
    return ReleasedFields(present)
  }
}
