import ApplePay
import Crypto
import Format
import Testing

@Suite("Tokens made by an independent program")
struct TokenFixtureTests {
  @Test("are all there") func count() { #expect(TokenCase.fixtures.count == 64) }

  @Test("open where they are good", arguments: TokenCase.fixtures.filter { $0.stage == "ok" })
  func accepted(_ token: TokenCase) throws { #expect(try token.open() == token.plaintext) }

  @Test(
    "are refused at their stage where they are not",
    arguments: TokenCase.fixtures.filter { $0.stage != "ok" })
  func refused(_ token: TokenCase) throws {
    let error = #expect(throws: TokenError.self) { try token.open() }
    guard case .rejected(let rejection) = error else { return }
    #expect(rejection.name == token.stage)
  }

  @Test(
    "open at the edge of the window and not behind it",
    arguments: [(-300, true), (300, true), (-301, false), (301, false)])
  func window(_ seconds: Int64, _ opens: Bool) throws {
    let token = try TokenCase.fixture("ec")
    let verifier = try token.verifier()
    let now = token.clock.adding(seconds: seconds)
    if opens {
      #expect(try token.fields.verify(verifier, now: now) == token.clock)
    } else {
      #expect(throws: TokenError.rejected(.signingTime)) {
        try token.fields.verify(verifier, now: now)
      }
    }
    #expect(throws: TokenError.rejected(.signingTime)) {
      try token.fields.verify(
        verifier, now: Timestamp(microseconds: token.clock.microseconds + 1), window: 0)
    }
    #expect(throws: TokenError.rejected(.signingTime)) {
      try token.fields.verify(verifier, now: Timestamp(microseconds: .min), window: .max)
    }
  }

  @Test("do not verify under Apple's root", arguments: ["ec", "rsa"])
  func sandboxRoot(_ name: String) throws {
    let token = try TokenCase.fixture(name)
    _ = try token.verifier()
    let apple = PaymentTokenVerifier(anchor: try .appleRootCAG3())
    #expect(throws: TokenError.rejected(.chain)) {
      try token.fields.verify(apple, now: token.clock)
    }
  }

  @Test("do not open with another merchant's key")
  func otherKey() throws {
    let ec = try TokenCase.fixture("ec")
    let rsa = try TokenCase.fixture("rsa")
    for (token, other) in [(ec, rsa), (rsa, ec)] {
      let hash = try #require(token.merchant).identifierHash
      let fresh = try PrivateKey.generate(other.fields.version == .ecV1 ? .p256 : .rsa(bits: 2048))
      for key in [try other.key(), fresh] {
        #expect(throws: TokenError.rejected(.publicKeyHash)) {
          try token.fields.open(token.verifier(), key: key, identifierHash: hash, now: token.clock)
        }
      }
      // Named by its hash, a key of the wrong kind still opens nothing.
      var renamed = token.fields
      renamed.publicKeyHash = SHA256.hash(try other.key().spki).bytes
      #expect(throws: TokenError.rejected(.keyAgreement)) {
        try renamed.open(token.verifier(), key: other.key(), identifierHash: hash, now: token.clock)
      }
    }
  }

  @Test("open with the merchant identifier alone for EC_v1, without it for RSA_v1")
  func merchantIdentifier() throws {
    let nobody = SHA256.hash([])
    let ec = try TokenCase.fixture("ec")
    let rsa = try TokenCase.fixture("rsa")
    #expect(throws: TokenError.rejected(.tag)) {
      try ec.fields.open(ec.verifier(), key: ec.key(), identifierHash: nobody, now: ec.clock)
    }
    #expect(
      try rsa.fields.open(rsa.verifier(), key: rsa.key(), identifierHash: nobody, now: rsa.clock)
        == rsa.plaintext)
  }
}
