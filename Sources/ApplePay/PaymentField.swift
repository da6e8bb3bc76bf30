import Format

/// A value that can be taken out of opened payment data; its number is that of the field in a reply
/// (PROTOCOL.md [OP-OPEN-9]).
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
  /// A JSON object of the two members `merchantTokenIdentifier` and `merchantTokenMetadata`, as far
  /// as they are present.
  case merchantToken
  /// The whole decrypted text.
  case raw
}

/// A member of the decrypted JSON that we read.
///
/// Source: Apple, "Payment token format reference".
enum PaymentMember: CaseIterable {
  case accountNumber, expirationDate, currencyCode, transactionAmount, deviceManufacturerIdentifier,
    paymentDataType, paymentData
  case cardholderName, authenticationResponses, merchantTokenIdentifier, merchantTokenMetadata
  // Inside paymentData.
  case onlinePaymentCryptogram, eciIndicator, emvData, encryptedPINData

  var name: String {
    switch self {
    case .accountNumber: "applicationPrimaryAccountNumber"
    case .expirationDate: "applicationExpirationDate"
    case .currencyCode: "currencyCode"
    case .transactionAmount: "transactionAmount"
    case .deviceManufacturerIdentifier: "deviceManufacturerIdentifier"
    case .paymentDataType: "paymentDataType"
    case .paymentData: "paymentData"
    case .cardholderName: "cardholderName"
    case .authenticationResponses: "authenticationResponses"
    case .merchantTokenIdentifier: "merchantTokenIdentifier"
    case .merchantTokenMetadata: "merchantTokenMetadata"
    case .onlinePaymentCryptogram: "onlinePaymentCryptogram"
    case .eciIndicator: "eciIndicator"
    case .emvData: "emvData"
    case .encryptedPINData: "encryptedPINData"
    }
  }

  var kind: JSONReader.Kind {
    switch self {
    case .transactionAmount: .number
    case .paymentData, .merchantTokenMetadata: .object
    case .authenticationResponses: .array
    case .accountNumber, .expirationDate, .currencyCode, .deviceManufacturerIdentifier,
      .paymentDataType, .cardholderName,
      .merchantTokenIdentifier, .onlinePaymentCryptogram, .eciIndicator, .emvData,
      .encryptedPINData:
      .string
    }
  }

  /// Whether it is in `paymentData` rather than at the top level.
  private var isOfPaymentData: Bool {
    switch self {
    case .onlinePaymentCryptogram, .eciIndicator, .emvData, .encryptedPINData: true
    case .accountNumber, .expirationDate, .currencyCode, .transactionAmount,
      .deviceManufacturerIdentifier, .paymentDataType,
      .paymentData, .cardholderName, .authenticationResponses, .merchantTokenIdentifier,
      .merchantTokenMetadata:
      false
    }
  }

  static let top = allCases.filter { !$0.isOfPaymentData }
  static let ofPaymentData = allCases.filter(\.isOfPaymentData)
}

/// The payment network that a DPAN's first digits belong to.
///
/// ISO/IEC 7812 leaves the ranges to registrars; these are the public ones of each network. Device
/// account numbers come from ranges of their own inside them. A number outside these ranges is
/// `unknown`, never a guess.
package enum PaymentNetwork: String, CaseIterable, Sendable {
  case amex
  case dinersClub = "diners-club"
  case discover
  case jcb
  case maestro
  case mastercard
  case mir
  case troy
  case unionPay = "unionpay"
  case visa
  case unknown

  /// - Parameter iin: the first six digits as a number.
  package init(iin: Int) {
    switch iin {
    case 340_000...349_999, 370_000...379_999: self = .amex
    case 300_000...305_999, 309_500...309_599, 360_000...369_999, 380_000...399_999:
      self = .dinersClub
    case 601_100...601_199, 644_000...659_999: self = .discover
    case 352_800...358_999: self = .jcb
    case 500_000...509_999, 560_000...589_999, 639_000...639_099, 670_000...679_999: self = .maestro
    case 222_100...272_099, 510_000...559_999: self = .mastercard
    case 220_000...220_499: self = .mir
    case 979_200...979_289: self = .troy
    case 620_000...629_999, 810_000...817_199: self = .unionPay
    case 400_000...499_999: self = .visa
    default: self = .unknown
    }
  }
}

/// What the caller knows of the payment from its own order; nil for what it does not state.
///
/// Apple's sixth step: "verify the currency code, the transaction amount and the application data
/// of the original request".
package struct PaymentExpectation: Equatable, Sendable {
  /// ISO 4217 numeric, three digits as text.
  package var currency: [UInt8]?
  /// Minor units.
  package var amount: UInt64?
  /// SHA-256 of the request's application data, 32 bytes.
  package var applicationData: [UInt8]?

  package init(currency: [UInt8]? = nil, amount: UInt64? = nil, applicationData: [UInt8]? = nil) {
    self.currency = currency
    self.amount = amount
    self.applicationData = applicationData
  }
}
