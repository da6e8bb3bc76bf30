import ApplePay
import Crypto
import Format
import Foundation
import Sandbox
import TestSupport
import Testing

/// Whose certificates a merchant's processing key takes. [KS-ATTACH-ISSUER]
@Suite struct MerchantIssuersTests {
  init() throws { try #require(TestArena.ready) }

  private static func merchant(_ name: String) throws -> Certificate {
    let merchant = try #require(
      try Vectors.json("applepay/tokens/\(name).json")["merchant"] as? [String: Any])
    let pem = try #require(merchant["certificate"] as? String).split(separator: "\n").filter {
      !$0.hasPrefix("-----")
    }.joined()
    return try Certificate(der: try #require(Base64.decode(pem)))
  }

  @Test(
    "real processing certificates of both kinds of key, old and new",
    arguments: ["basistheory-ec-ios", "basistheory-rsa", "gala-2014-visa", "gala-2023-mc"])
  func apples(_ name: String) throws {
    #expect(try MerchantIssuers.apple().issued(Self.merchant(name)))
  }

  @Test("the CA that is built in is the one that Apple publishes") func builtIn() throws {
    let published = try Certificate(
      der: [UInt8](Data(contentsOf: Repository.root.appending(path: "keys/AppleWWDRCA-G2.cer"))))
    // It can be named once more, for its root has signed it; it is no merchant's certificate
    // itself.
    let issuers = try MerchantIssuers.apple(and: [published])
    #expect(!issuers.issued(published))
    #expect(try issuers.issued(Self.merchant("gala-2023-mc")))
  }

  @Test("not a certificate that somebody else made, whatever it says of its issuer") func others()
    throws
  {
    let pki = try TestApplePKI.make()
    let real = try Self.merchant("gala-2023-mc")
    let sandbox = MerchantIssuers.sandbox(try TrustAnchor(pki.root.certificate))
    let made = try pki.certify(.ec).certificate
    #expect(sandbox.issued(made) && !sandbox.issued(real))
    #expect(try !MerchantIssuers.apple().issued(made))
    #expect(!sandbox.issued(pki.intermediate.certificate), "a CA is no merchant")
    #expect(
      try !MerchantIssuers.sandbox(TrustAnchor(TestApplePKI.make().root.certificate)).issued(made),
      "the same names, another key")
  }

  @Test("another CA counts only where Apple's root has signed it") func configured() throws {
    let pki = try TestApplePKI.make()
    for certificate in [
      pki.root.certificate, pki.intermediate.certificate, try Self.merchant("gala-2023-mc"),
    ] {
      #expect(throws: CryptoError.invalidCertificate) {
        try MerchantIssuers.apple(and: [certificate])
      }
    }
  }
}
