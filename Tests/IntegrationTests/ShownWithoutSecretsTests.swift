import KistClient
import Testing

/// What a program that logs its requests would log.
@Suite struct ShownWithoutSecretsTests {
  static let pan = "4109370251004320"

  static let values: [any Sendable] = [
    VisaOTP(.mbpad, authenticationCode: pan, accountNumber: pan), MastercardOTP(accountNumber: pan),
    PassRequest(
      certificates: [], nonce: [], nonceSignature: [],
      card: .accountNumber(.digits(pan), name: "A. Card", expiration: "12/30")),
    PassRequest.Card.accountNumber(.digits(pan), name: "A. Card", expiration: "12/30"),
    PassRequest.Account.digits(pan),
    PassRequest.EncryptedAccount.visa(.digits(pan), expiration: "12/30"),
    PassRequest.Activation.visa(VisaOTP(.mbpad, accountNumber: pan)),
    DerivationInfo.otherInfo(algorithmID: [1], suppPriv: Array(pan.utf8)),
    DerivationInfo.whole(Array(pan.utf8)),
  ]

  @Test("neither print nor dump shows a card number or private info", arguments: values.indices)
  func shown(_ index: Int) {
    let value = Self.values[index]
    var dumped = ""
    dump(value, to: &dumped)
    for text in [
      String(describing: value), String(reflecting: value), String(describing: [value]), dumped,
    ] {
      #expect(!text.contains(Self.pan) && !text.contains("52, 49, 48") && !text.contains("A. Card"))
    }
  }
}
