import ApplePay
import Crypto
import Format
import Host

/// What a token decrypts to.
enum PaymentDataTarget: FuzzTarget {
  static let name = "payment-data"
  static let byteLimit = 8192

  static func seeds() throws -> [[UInt8]] {
    let text = """
      {"applicationPrimaryAccountNumber":"4109370251004320","applicationExpirationDate":"491231","currencyCode":"840","transactionAmount":1499,\
      "cardholderName":"J\\u00fcrgen \\ud83d\\ude00","deviceManufacturerIdentifier":"040010030273","paymentDataType":"3DSecure",\
      "paymentData":{"onlinePaymentCryptogram":"Af9x/QwAA/DjmU65oyc1MAABAAA=","eciIndicator":"5","emvData":"AA==","encryptedPINData":"AA=="},\
      "authenticationResponses":[{"a":[1,2,{"b":null}]}],"merchantTokenIdentifier":"t","merchantTokenMetadata":{"cardArt":[{"x":1}]}}
      """
    return try TokenFixture.all().map(\.plaintext) + [
      Array(text.utf8), DeepNesting.arrays(200), DeepNesting.objects(200),
    ]
  }

  static func run(_ input: [UInt8]) throws {
    let data = try PaymentData(SecretBuffer(copying: input.span))
    for field in PaymentField.allCases {
      guard let capacity = data.capacity(for: field) else { continue }
      var room = [UInt8](repeating: 0xAA, count: capacity)
      var out = room.mutableSpan
      guard let count = try? data.copy(field, into: &out) else { continue }
      try promise(count <= capacity, "\(field) is longer than its capacity")
      if field == .raw { try promise(room == input, "the raw text is not what was decrypted") }
    }
    if let pan = data.pan {
      try promise((12...19).contains(pan.count), "an account number of \(pan.count) digits")
    }
    _ = data.amount
  }
}
