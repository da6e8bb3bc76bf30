import CConstantTime
package import Crypto
import Format
import Host

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

/// Primary account numbers (ISO/IEC 7812-1) from which surrogates and envelopes can be made.
package enum PAN {
  /// ISO/IEC 7812-1 allows 19 digits; with fewer than ten, fewer than six would be left to encrypt.
  package static let lengths = 10...19

  /// Whether these are ASCII digits, and as many as a PAN has.
  package static func hasForm(_ text: Span<UInt8>) -> Bool {
    lengths.contains(text.count) && ConstantTime.areDigits(text)
  }

  /// Whether the last of these ASCII digits is the check digit of the others: Luhn's formula
  /// (ISO/IEC 7812-1 annex B).
  package static func isLuhnValid(_ digits: Span<UInt8>) -> Bool { Luhn.passes(digits) }
}

/// Why an operation on a PAN, its surrogate or its envelope failed.
package enum PANError: Error, Hashable {
  /// Not ten to nineteen digits, or with a wrong check digit, or none that the merchant's format
  /// has a surrogate for.
  case notPAN
  /// No surrogate of this key, merchant and format.
  case notSurrogate
  /// No envelope of this key, merchant and transaction.
  case notEnvelope
  case expired
  case crypto(CryptoError)
}

/// What `body` makes, or its error as one of these.
func onCrypto<R: ~Copyable>(_ body: @autoclosure () throws(CryptoError) -> R) throws(PANError) -> R
{
  do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
}

/// Luhn's formula (ISO/IEC 7812-1 annex B) on ASCII digits, in constant time.
enum Luhn {
  /// Whether the last digit is the check digit of the others.
  static func passes(_ digits: Span<UInt8>) -> Bool {
    // Callers refuse a wrong check digit, and walk the cycle of a surrogate (`Surrogate`).
    kist_declassified(remainder(digits) == 0)
  }

  /// The digit with which these pass, in ASCII, if it stands at `place`; what stands there now does
  /// not matter.
  static func digit(at place: Int, in digits: Span<UInt8>) -> UInt8 {
    let sum = 10 &- remainder(digits, without: place)
    let missing = sum &- 10 &* ((sum &+ 6) >> 4)
    // Half of it; if it is odd, nine were taken from twice the digit.
    return 0x30 &+ (isDoubled(place, digits.count) ? (missing &+ 9 &* (missing & 1)) >> 1 : missing)
  }

  /// Of the sum modulo ten.
  private static func remainder(_ digits: Span<UInt8>, without place: Int? = nil) -> UInt8 {
    var sum: UInt32 = 0
    for i in digits.indices where i != place {
      let digit = UInt32(digits[i] & 0x0F)
      // Twice the digit; if that has two digits, their sum.
      sum &+= isDoubled(i, digits.count) ? 2 &* digit &- 9 &* ((2 &* digit &+ 6) >> 4) : digit
    }
    // ⌊sum / 10⌋, for any sum below 16,389.
    return UInt8(truncatingIfNeeded: sum &- 10 &* ((sum &* 6554) >> 16))
  }

  private static func isDoubled(_ place: Int, _ count: Int) -> Bool {
    (count - place).isMultiple(of: 2)
  }
}
