import ApplePay
import Format
import Testing

@Suite("Payment token")
struct PaymentTokenTests {
  @Test(
    "takes fields of its sizes",
    arguments: [
      Counts(), Counts(data: 17), Counts(data: 65_536), Counts(signature: 16_384),
      Counts(applicationData: 32),
      Counts(version: .rsaV1, ephemeralPublicKey: 0, wrappedKey: 256),
    ])
  func accepted(_ counts: Counts) throws { try counts.make() }

  @Test(
    "refuses fields of any other",
    arguments: [
      Counts(data: 0), Counts(data: 16), Counts(data: 65_537), Counts(signature: 0),
      Counts(signature: 16_385), Counts(ephemeralPublicKey: 90),
      Counts(ephemeralPublicKey: 92), Counts(ephemeralPublicKey: 65), Counts(publicKeyHash: 0),
      Counts(publicKeyHash: 31), Counts(publicKeyHash: 33),
      Counts(transactionID: 0), Counts(transactionID: 31), Counts(transactionID: 33),
      Counts(applicationData: 1), Counts(applicationData: 31),
      Counts(applicationData: 33), Counts(ephemeralPublicKey: 0),
      Counts(version: .rsaV1, ephemeralPublicKey: 0),
      Counts(version: .rsaV1, ephemeralPublicKey: 0, wrappedKey: 255),
      Counts(version: .rsaV1, ephemeralPublicKey: 0, wrappedKey: 257),
      Counts(version: .rsaV1, ephemeralPublicKey: 0, wrappedKey: 384),
      Counts(version: .rsaV1, ephemeralPublicKey: 0, wrappedKey: 512),
    ])
  func refused(_ counts: Counts) {
    #expect(throws: TokenError.rejected(.format)) { try counts.make() }
  }

  @Test(
    "refuses the other version's key",
    arguments: [
      Counts(wrappedKey: 256), Counts(ephemeralPublicKey: 0, wrappedKey: 256),
      Counts(version: .rsaV1), Counts(version: .rsaV1, wrappedKey: 256),
    ])
  func version(_ counts: Counts) {
    #expect(throws: TokenError.rejected(.version)) { try counts.make() }
  }

  struct Counts: Sendable {
    var version = ApplePayTokenVersion.ecV1
    var data = 300, signature = 2000, ephemeralPublicKey = 91, wrappedKey = 0, publicKeyHash = 32,
      transactionID = 32, applicationData = 0

    func make() throws(TokenError) {
      let bytes = [UInt8](repeating: 0, count: 70_000)
      let all = bytes.span
      _ = try PaymentToken(
        version: version, data: all.extracting(first: data),
        signature: all.extracting(first: signature),
        ephemeralPublicKey: all.extracting(first: ephemeralPublicKey),
        wrappedKey: all.extracting(first: wrappedKey),
        publicKeyHash: all.extracting(first: publicKeyHash),
        transactionID: all.extracting(first: transactionID),
        applicationData: all.extracting(first: applicationData)
      ).version
    }
  }
}
