import ApplePay
import Ceremony
import Crypto
import Format
import Testing
@testable import Sandbox

@Suite struct TokenMintTests {
  let scene: Scene

  init() throws { scene = try .ready() }

  @Test(arguments: ApplePayTokenVersion.allCases) func aTokenOpensToWhatWasPutIn(
    _ version: ApplePayTokenVersion
  ) throws {
    var payment = TestPayment()
    payment.amount = 1
    payment.currency = "978"
    payment.cardholderName = "A \"Tester\""
    let token = try scene.mint(version, payment)
    #expect(token.version == version)
    #expect(
      try scene.open(token.json, with: scene.merchant(.opening(version))) == payment.plaintext)
  }

  @Test func thePlaintextIsApples() throws {
    let text = String(decoding: TestPayment().plaintext, as: UTF8.self)
    #expect(
      text == """
        {"applicationExpirationDate":"491231","applicationPrimaryAccountNumber":"4109370251004320","currencyCode":"840",\
        "deviceManufacturerIdentifier":"040010030273","paymentData":{"eciIndicator":"5",\
        "onlinePaymentCryptogram":"Af9x/QwAA/DjmU65oyc1MAABAAA="},"paymentDataType":"3DSecure","transactionAmount":1499}
        """)
  }

  @Test(arguments: ApplePayTokenVersion.allCases) func everyTokenIsAnother(
    _ version: ApplePayTokenVersion
  ) throws {
    let first = try scene.mint(version)
    let second = try scene.mint(version)
    #expect(first.transactionID != second.transactionID)
    #expect(first.keySource != second.keySource)
    #expect(first.data != second.data)
    #expect(first.publicKeyHash == second.publicKeyHash)
  }

  @Test(arguments: ApplePayTokenVersion.allCases) func applicationDataIsSigned(
    _ version: ApplePayTokenVersion
  ) throws {
    var payment = TestPayment()
    payment.applicationData = SHA256.hash(Array("basket 7".utf8))
    let token = try scene.mint(version, payment)
    #expect(token.applicationData == payment.applicationData?.bytes)
    let key = try scene.merchant(.opening(version))
    #expect(try scene.open(token.json, with: key) == payment.plaintext)
    let without = MintedToken(
      keySource: token.keySource, data: token.data, signature: token.signature,
      publicKeyHash: token.publicKeyHash,
      transactionID: token.transactionID, applicationData: [])
    #expect(throws: TokenError.rejected(.messageDigest)) { try scene.open(without.json, with: key) }
  }

  @Test(arguments: [
    (TokenDefect.wrongKey, ApplePayTokenVersion.ecV1, TokenRejection.tag),
    (.wrongKey, .rsaV1, .keyAgreement),
    (.badSignature, .ecV1, .signature), (.badSignature, .rsaV1, .signature),
    (.noLeafMarker, .ecV1, .leafMarker),
    (.noLeafMarker, .rsaV1, .leafMarker), (.badTag, .ecV1, .tag), (.badTag, .rsaV1, .tag),
  ])
  func aDefectFailsAtItsOwnCheck(
    _ defect: TokenDefect, _ version: ApplePayTokenVersion, _ stage: TokenRejection
  ) throws {
    let token = try scene.mint(version, defect: defect)
    #expect(throws: TokenError.rejected(stage)) {
      try scene.open(token.json, with: scene.merchant(.opening(version)))
    }
  }

  @Test(arguments: ApplePayTokenVersion.allCases) func aStaleTokenIsBeyondEveryWindow(
    _ version: ApplePayTokenVersion
  ) throws {
    let key = try scene.merchant(.opening(version))
    let token = try TokenMint(scene.pki).mint(
      TestPayment(), for: key.certificate, signedAt: Scene.now.adding(seconds: -TokenMint.staleAge))
    #expect(throws: TokenError.rejected(.signingTime)) { try scene.open(token.json, with: key) }
    #expect(throws: TokenError.rejected(.signingTime)) {
      try scene.open(token.json, with: key, now: Scene.now.adding(seconds: -86_400))
    }
    #expect(
      try !scene.open(token.json, with: key, now: Scene.now.adding(seconds: -TokenMint.staleAge))
        .isEmpty)
  }

  @Test(arguments: ["2010-01-01T00:00:00Z", "2049-12-31T23:59:59Z"]) func theClockMayBePinned(
    _ moment: String
  ) throws {
    let now = try #require(Timestamp(moment))
    let key = try scene.merchant(.ec)
    let token = try TokenMint(scene.pki).mint(TestPayment(), for: key.certificate, signedAt: now)
    #expect(try scene.open(token.json, with: key, now: now) == TestPayment().plaintext)
  }

  @Test(arguments: ["2009-12-31T23:59:59Z", "2050-01-01T00:00:00Z"])
  func butWithinTheCertificatesTime(_ moment: String) throws {
    let now = try #require(Timestamp(moment))
    let key = try scene.merchant(.ec)
    let token = try TokenMint(scene.pki).mint(TestPayment(), for: key.certificate, signedAt: now)
    #expect(throws: TokenError.rejected(.certificateValidity)) {
      try scene.open(token.json, with: key, now: now)
    }
  }

  @Test(arguments: ApplePayTokenVersion.allCases) func appleHasNothingToDoWithIt(
    _ version: ApplePayTokenVersion
  ) throws {
    let token = try scene.mint(version)
    let apple = PaymentTokenVerifier(anchor: try .appleRootCAG3())
    #expect(throws: TokenError.rejected(.chain)) {
      try scene.open(token.json, with: scene.merchant(.opening(version)), verifier: apple)
    }
  }

  @Test func anotherSandboxHasNothingToDoWithIt() throws {
    let other = try CertifiedKey.certify(
      scene.pki.intermediate.key,
      subject: [.commonName("Kist Sandbox Root CA - G3"), .organization("Kist Sandbox")],
      extensions: [.basicConstraints(isCA: true)], by: nil)
    let verifier = PaymentTokenVerifier(anchor: try TrustAnchor(other.certificate))
    #expect(throws: TokenError.rejected(.chain)) {
      try scene.open(scene.mint(.ecV1).json, with: scene.merchant(.ec), verifier: verifier)
    }
  }

  @Test func aTokenIsForOneMerchant() throws {
    let token = try scene.mint(.ecV1)
    #expect(throws: TokenError.rejected(.publicKeyHash)) {
      try scene.open(token.json, with: scene.merchant(.other))
    }
  }

  @Test func onlyAMerchantsCertificateWillDo() throws {
    let mint = TokenMint(scene.pki)
    #expect(throws: CryptoError.invalidCertificate) {
      try mint.mint(TestPayment(), for: scene.pki.ecLeaf.certificate, signedAt: Scene.now)
    }
    let p384 = try CertifiedKey.make(
      .p384, subject: [.userID("merchant.com.example")],
      extensions: [.merchantIdentifier("merchant.com.example")], by: scene.pki.root)
    #expect(throws: CryptoError.invalidInput) {
      try mint.mint(TestPayment(), for: p384.certificate, signedAt: Scene.now)
    }
  }
}
