/// A value that can be taken out of opened payment data; its number is that of the field in a reply (PROTOCOL.md [OP-OPEN-9]).
package enum PaymentField: UInt8, CaseIterable, Sendable {
  /// The device account number, 12 to 19 digits.
  case dpan = 1
  case last4
  /// The first six digits.
  case bin
  /// The name of a `PaymentNetwork`.
  case network
  /// YYMMDD.
  case expiry
  /// ISO 4217 numeric.
  case currency
  /// As the JSON writes the number; minor units.
  case amount
  /// Base64, as Apple wrote it.
  case cryptogram
  case eci
  case paymentDataType
  case deviceManufacturer
  /// Base64 of TLV, as Apple wrote it.
  case emvData
  /// Hexadecimal, as Apple wrote it.
  case encryptedPIN
  case cardholderName
  /// The JSON array, unchanged.
  case authenticationResponses
  /// A JSON object of the two members `merchantTokenIdentifier` and `merchantTokenMetadata`, as far as they are present.
  case merchantToken
  /// The whole decrypted text.
  case raw
}
