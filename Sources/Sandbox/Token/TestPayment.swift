package import Crypto
internal import Format

/// What an opened token says about the payment; test data, so nothing here is secret.
package struct TestPayment: Sendable {
  /// 12 to 19 digits.
  package var pan = "4109370251004320"
  /// YYMMDD.
  package var expiry = "491231"
  /// ISO 4217 numeric.
  package var currency = "840"
  /// Minor units, at most `maximumAmount`.
  package var amount: Int64 = 1499
  /// Base64.
  package var cryptogram = "Af9x/QwAA/DjmU65oyc1MAABAAA="
  package var eci: String? = "5"
  package var cardholderName: String?
  /// 12 hexadecimal digits.
  package var deviceManufacturer = "040010030273"
  /// SHA-256 of the request's application data, which stays outside the encryption.
  package var applicationData: Digest256?

  package init() {}

  /// Twelve digits, as in ISO 8583.
  package static let maximumAmount: Int64 = 999_999_999_999

  /// The JSON that Apple encrypts.
  package var plaintext: [UInt8] {
    let payment: CanonicalJSON = [
      "applicationExpirationDate": .string(expiry), "applicationPrimaryAccountNumber": .string(pan),
      "cardholderName": cardholderName.map { .string($0) }, "currencyCode": .string(currency),
      "deviceManufacturerIdentifier": .string(deviceManufacturer),
      "paymentData": ["eciIndicator": eci.map { .string($0) }, "onlinePaymentCryptogram": .string(cryptogram)],
      "paymentDataType": .string("3DSecure"), "transactionAmount": .integer(amount),
    ]
    return payment.serialised
  }
}
