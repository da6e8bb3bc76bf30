internal import Format

/// A member of the decrypted JSON that we read.
///
/// Source: Apple, "Payment token format reference".
enum PaymentMember: CaseIterable {
  case accountNumber, expirationDate, currencyCode, transactionAmount, deviceManufacturerIdentifier, paymentDataType, paymentData
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
    case .accountNumber, .expirationDate, .currencyCode, .deviceManufacturerIdentifier, .paymentDataType, .cardholderName,
      .merchantTokenIdentifier, .onlinePaymentCryptogram, .eciIndicator, .emvData, .encryptedPINData:
      .string
    }
  }

  /// Whether it is in `paymentData` rather than at the top level.
  private var isOfPaymentData: Bool {
    switch self {
    case .onlinePaymentCryptogram, .eciIndicator, .emvData, .encryptedPINData: true
    case .accountNumber, .expirationDate, .currencyCode, .transactionAmount, .deviceManufacturerIdentifier, .paymentDataType,
      .paymentData, .cardholderName, .authenticationResponses, .merchantTokenIdentifier, .merchantTokenMetadata:
      false
    }
  }

  static let top = allCases.filter { !$0.isOfPaymentData }
  static let ofPaymentData = allCases.filter(\.isOfPaymentData)
}
